"""`python -m benchmarks.hostile_server`: `deeprepo serve` with a language whose outline never ends, for files named *.hang.

It stands for the library, the pattern and the parser that nobody knows yet. The server's child processes load this program too,
and with it the language.
"""

import re
from collections.abc import Collection, Mapping
from types import SimpleNamespace
from typing import Any

from bot.values import Clues
from deeprepo.impact.families import LANGUAGES
from deeprepo.impact.language import PLAIN
from deeprepo.impact.values import Facts


def _outline(_path: str, _source: bytes, _side: str) -> Facts:
    """Hold the interpreter's lock for ever."""
    re.match(r"(a|aa)+$", "a" * 200 + "b")
    return Facts()


def _project(_paths: Collection[str], _configs: Mapping[str, bytes]) -> Any:  # noqa: ANN401 - a language
    return SimpleNamespace(clues=lambda _: Clues(frozenset()), imports=lambda *_: ())


LANGUAGES["hang"] = SimpleNamespace(  # type: ignore[index]
    NAME="hang",
    SUFFIXES=(".hang",),
    CONFIGS=(),
    rules=PLAIN,
    project=_project,
    outline=_outline,
    uses=lambda *_: (),
)

if __name__ == "__main__":
    from bot.__main__ import main

    main()
