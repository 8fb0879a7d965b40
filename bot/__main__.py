"""`python -m bot`, and the command `deeprepo`."""

import sys

# Python looks in the folder it is started in first, which is often the reviewed repository: no module of it is ours.
if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]


import gc


def main() -> None:
    """Run the command line and leave with its exit code."""
    # What a review makes stays, or goes by itself: a look through it takes 70 ms, and finds nothing.
    gc.set_threshold(500_000, 20, 20)

    try:
        from bot.cli import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while the command line itself was loaded
        code = 130
    gc.freeze()  # all goes with the process: to look through it once more at the end costs 60 ms, of a large review more
    sys.exit(code)


if __name__ == "__main__":
    main()
