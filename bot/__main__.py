"""`python -m bot`, and the command `deeprepo`."""

import sys

# Python looks in the folder it is started in first, which is often the reviewed repository: no module of it is ours.
if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]


import gc
import os


def main() -> None:
    """Run the command line and leave with its exit code."""
    # A review creates no garbage in cycles, for which a search takes 70 ms.
    gc.set_threshold(500_000, 20, 20)
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "1"  # looking for some reads each installed distribution
    try:
        from bot import cli

        code = cli.main(sys.argv[1:])
    except KeyboardInterrupt:  # while the command line itself was loaded
        code = 130
    gc.freeze()  # a search at the end takes 60 ms
    sys.exit(code)


if __name__ == "__main__":
    main()
