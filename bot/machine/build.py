"""The name of this build: its version and a digest of its code and texts.

The version alone is not enough, because all commits between two releases have it, and an Action can be pinned
to any of them. Stored data contains the name, so a later build can tell its own data from another build's.
"""

import os
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

from bot import __version__

PACKAGE = Path(__file__).parents[1]
PACKAGES = ("bot", "deeprepo")
MEANT = (".py", ".j2", ".toml", ".scm")  # suffixes of files that affect what a build does
DIGITS = 8


@cache
def name() -> str:
    """Return this build's name, which is a valid version: "0.2.0+1a2b3c4d"."""
    rows = sorted(_installed() or _in_checkout())
    digest = sha256("\n".join(rows).encode()).hexdigest()
    return f"{__version__}+{digest[:DIGITS]}"


def _installed() -> list[str]:
    """Return an installed wheel's files with their digests from RECORD; none in a checkout."""
    record = PACKAGE.parent / f"deeprepo_bot-{__version__}.dist-info" / "RECORD"
    if not record.is_file():
        return []
    rows = [line.split(",")[:2] for line in record.read_text("utf-8").splitlines()]
    return [f"{path} {digest}" for path, digest in rows if path.startswith(PACKAGES) and path.endswith(MEANT)]


def _in_checkout() -> Iterator[str]:
    """Yield the files of a checkout with their digests, under the names that the files have in a wheel."""
    root = PACKAGE.parent
    places = {package: package for package in PACKAGES} | {"templates": "bot/templates"}
    for place, installed in places.items():
        for folder, _, files in os.walk(root / place):
            for file in sorted(files):
                if file.endswith(MEANT):
                    path = Path(folder, file)
                    digest = urlsafe_b64encode(sha256(path.read_bytes()).digest()).rstrip(b"=").decode()
                    yield f"{installed}/{path.relative_to(root / place).as_posix()} sha256={digest}"
