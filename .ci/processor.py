"""Run a command and print its processor seconds, with those of all that it has started: python .ci/processor.py COMMAND ...

Wall time depends on what else the machine does; this does not. A process that outlives its parent is counted as well, so the
command has ended when the last of them has.
"""

import ctypes
import os
import resource
import subprocess
import sys
import time

BE_PARENT_OF_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)


def main() -> int:
    """Wait for all of them; the exit code is the command's."""
    ctypes.CDLL(None).prctl(BE_PARENT_OF_ORPHANS, 1, 0, 0, 0)
    began, code, wall = time.monotonic(), 0, 0.0
    command = subprocess.Popen(sys.argv[1:])
    while True:
        try:
            process, status = os.wait()
        except ChildProcessError:
            break
        if process == command.pid:
            code, wall = os.waitstatus_to_exitcode(status), time.monotonic() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime
    sys.stderr.write(f"{seconds:.0f} s of a processor, {wall:.0f} s of wall time, load {os.getloadavg()[0]:.0f}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
