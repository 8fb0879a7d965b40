"""`python -m deeprepo`, and the command `deeprepo`."""

import sys

from deeprepo._errors import HOME, other_bot


def main() -> None:
    """Run the command line. A package `bot` on PYTHONPATH doesn't hide deeprepo's."""
    if other_bot():
        sys.modules.pop("bot", None)
        sys.path.insert(0, str(HOME))

    from bot.__main__ import main as run

    run()


if __name__ == "__main__":
    main()
