"""Guess the local names of Go packages from their import paths, and from the code that uses them."""

import re
from functools import lru_cache

DOTTED = re.compile(rb"(?<![\w\x80-\xff])([\w\x80-\xff]++)\.")


def local_name(spec: str, source: bytes) -> str:
    """Return the local name of a package imported without one: the likely name that is used before a dot."""
    names, dotted = likely_names(spec), _dotted(source)
    return next((name for name in names if name.encode() in dotted), names[0] if names else "")


@lru_cache(maxsize=16)
def _dotted(source: bytes) -> frozenset[bytes]:
    return frozenset(DOTTED.findall(source))


def _is_version(part: str) -> bool:
    return part[:1] == "v" and part[1:].isdigit()


@lru_cache(maxsize=4096)
def likely_names(spec: str) -> tuple[str, ...]:
    """Return the likely names of a package from its import path, likeliest first."""
    parts = [part for part in spec.split("/") if part]
    if len(parts) > 1 and _is_version(parts[-1]):
        parts.pop()
    last = parts[-1] if parts else ""
    last = last.rpartition(".")[0] if _is_version(last.rpartition(".")[2]) else last
    words = [word for word in last.replace(".", "-").split("-") if word not in ("go", "golang", "")]
    names = [last, *words[-1:], *words[:1], "".join(words), "_".join(words)]
    return tuple(dict.fromkeys(name for name in names if name.isidentifier()))
