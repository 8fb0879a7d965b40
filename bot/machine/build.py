"""The name of this build, which consists of the version and a digest of its code and templates.

The version doesn't identify a build, because all commits between two releases have the same version,
and an Action can be pinned to any of them. Stored data contains the build's name, so that a build can
recognize data that was written by another one.
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
SUFFIXES = (".py", ".j2", ".toml", ".scm")  # of files that affect what a build does
DIGITS = 8


@cache
def name() -> str:
    """Return this build's name, such as "0.2.0+1a2b3c4d", which is a valid version number."""
    rows = sorted(_installed() or _in_checkout())
    digest = sha256("\n".join(rows).encode()).hexdigest()
    return f"{__version__}+{digest[:DIGITS]}"


def _installed() -> list[str]:
    """Return the files of an installed wheel with their digests, from RECORD. In a checkout, return []."""
    record = PACKAGE.parent / f"deeprepo_bot-{__version__}.dist-info" / "RECORD"
    if not record.is_file():
        return []
    rows = [line.split(",")[:2] for line in record.read_text("utf-8").splitlines()]
    return [f"{path} {digest}" for path, digest in rows if path.startswith(PACKAGES) and path.endswith(SUFFIXES)]


def _in_checkout() -> Iterator[str]:
    """Yield the files of a checkout with their digests, with the paths that they would have in a wheel."""
    root = PACKAGE.parent
    places = {package: package for package in PACKAGES} | {"templates": "bot/templates"}
    for place, installed in places.items():
        for folder, _, files in os.walk(root / place):
            for file in sorted(files):
                if file.endswith(SUFFIXES):
                    path = Path(folder, file)
                    digest = urlsafe_b64encode(sha256(path.read_bytes()).digest()).rstrip(b"=").decode()
                    yield f"{installed}/{path.relative_to(root / place).as_posix()} sha256={digest}"
