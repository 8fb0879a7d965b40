"""Print the tag of the version in bot/__init__.py, which CHANGELOG.md must describe; with an argument, refuse another tag."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Exit with a sentence if something does not agree."""
    found = re.search(r'^__version__ = "([^"]+)"$', (ROOT / "bot" / "__init__.py").read_text(), re.MULTILINE)
    version = found[1] if found else "unknown"
    if f"## {version}\n" not in (ROOT / "CHANGELOG.md").read_text():
        sys.exit(f"CHANGELOG.md has no section `## {version}`")
    if sys.argv[1:] not in ([], [f"v{version}"]):
        sys.exit(
            f"the tag must be v{version}, the version in bot/__init__.py; it is {' '.join(sys.argv[1:]) or 'missing'}"
        )
    sys.stdout.write(f"v{version}\n")


main()
