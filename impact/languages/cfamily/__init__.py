"""C and C++: their files are searched for users; what a preprocessor may make is held against no new line."""

import re
from collections.abc import Mapping

from impact.language import Standalone
from impact.paths import Paths
from impact.values import Import

# `extern "C" {` and its end inside their conditions are no block that a grammar can read.
LINKAGE = re.compile(
    rb"#[ \t]*if(?:def[ \t]+|[ \t]+defined[ \t(]*)_*cplusplus\)?[ \t]*\r?\n\s*(extern[ \t]*\"C\"\s*\{|\})[^\n]*\n\s*#[ \t]*endif"
)


def code(source: bytes) -> bytes:
    """The code with the linkage brackets blanked out; lines and columns stay what they are."""
    return LINKAGE.sub(lambda match: re.sub(rb"[^\r\n]", b" ", match[0]), source)


class Modules(Standalone):
    """The headers of one tree. Where a compiler looks for them, its command line says."""

    def __init__(self, paths: Paths, configs: Mapping[str, bytes]) -> None:
        del paths, configs

    def files(self, importer: str, item: Import, name: str = "") -> tuple[str, ...] | None:
        """Nobody can know which."""
        del importer, item, name
        return None
