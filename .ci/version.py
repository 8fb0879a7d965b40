"""Refuse a tag that is not the version of the code: python .ci/version.py vX.Y.Z."""

import re
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "bot" / "__init__.py"
VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)


def main() -> None:
    """Leave with a sentence where the two differ."""
    found = VERSION.search(SOURCE.read_text())
    version = found.group(1) if found else "unknown"
    tags = sys.argv[1:]
    if tags != [f"v{version}"]:
        sys.exit(f"the tag must be v{version}, the version in bot/__init__.py; it is {' '.join(tags) or 'missing'}")


main()
