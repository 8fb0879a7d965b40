"""Run a command and print its processor seconds, with those of all that it has started: python .ci/processor.py COMMAND ...

Wall time depends on what else the machine does; this depends on it less. On Linux what outlives its parent is counted as well, if
it ends within ten seconds after the command.
"""

import ctypes
import os
import resource
import signal
import subprocess
import sys
import time

BE_PARENT_OF_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
PATIENCE, LOOK = 10.0, 0.1  # seconds for orphans to end, and between two looks


def main() -> int:
    """Wait for all of them; the exit code is the command's."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(BE_PARENT_OF_ORPHANS, 1, 0, 0, 0)
    began = time.monotonic()
    command = subprocess.Popen(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the command, which ends by itself
    code = command.wait()
    ended = time.monotonic()
    while time.monotonic() - ended < PATIENCE:
        try:
            process, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if not process:
            time.sleep(LOOK)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime
    sys.stderr.write(
        f"{seconds:.0f} s of a processor, {ended - began:.0f} s of wall time, load {os.getloadavg()[0]:.0f}\n"
    )
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
