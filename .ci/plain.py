"""Write each `name[extra]==version` of a lock file a second time as `name==version`.

pip with --require-hashes counts the two as different requirements, and a package that asks for the plain name would be refused.
"""

import re
import sys
from pathlib import Path

WITH_EXTRA = re.compile(r"^([a-z0-9.-]+)\[[^\]]+\](==.*(?:\n    --hash.*)+)", re.MULTILINE)


def main() -> None:
    """Mend the lock files that are named."""
    for name in sys.argv[1:]:
        path = Path(name)
        path.write_text(WITH_EXTRA.sub(r"\g<0>\n\1\2", path.read_text()))


main()
