"""What a change, a comment or a model writes costs each part of a review its length: four times the text, about four times the time."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from datetime import date

import growth
import pytest
from families import few

from bot import commands
from bot.analyzers import secrets
from bot.checkout import commit_patches
from bot.context import identifiers
from bot.dependents import symbols
from bot.diff import read as diff_read
from bot.diff.units import Texts, cut
from bot.findings import history, merge, place, quotes, suppress
from bot.languages import LANGUAGES
from bot.models import answers, stream
from bot.render import disarm
from bot.text.attributes import generated_marks
from bot.values import ChangedFile, CommitLines, Dependents, DiffLine, DiffRow, Finding, Hunk, RawChange, Source, Unit


def _unit(line: str) -> Unit:
    return Unit("a.py:f", "a.py", "f", 1, 1, "head", line, (DiffRow("+", line, 1),))


def _file(path: str, rows: list[str]) -> ChangedFile:
    lines = tuple(DiffLine("+", row, None, at) for at, row in enumerate(rows, 1))
    return ChangedFile(
        path, None, "added", hunks=(Hunk(0, 0, 1, len(rows), lines),), added_lines=frozenset(range(1, len(rows) + 1))
    )


class _Head:
    """A tree of one file, as secrets are looked for in it."""

    def __init__(self, file: ChangedFile) -> None:
        self._text = "\n".join(line.text for line in file.hunks[0].lines).encode()

    async def read(self, path: str, side: str = "head") -> bytes | None:
        return self._text if (path, side) == ("a.py", "head") else None


def _secrets(file: ChangedFile) -> object:
    return asyncio.run(secrets.check(_Head(file), [file], Dependents()))  # type: ignore[arg-type]


def _keys(seed: str, count: int) -> list[str]:
    bodies = (hashlib.sha256(f"{seed} {at}".encode()).hexdigest() for at in range(count))
    return [
        row for body in bodies for row in ("-----BEGIN " + "PRIVATE KEY-----", f"Ab{body}", "-----END PRIVATE KEY-----")
    ]


class _Commit:
    """One commit that leaves these lines of a file where others stood, none of which the head has."""

    def __init__(self, lines: list[str], before: list[str], base: list[str]) -> None:
        self._lines, self._base = CommitLines("c" * 40, "a.py", lines, "", [before], follows_label=True), base

    async def commit_lines(self, most: int, labels: Sequence[str], reach: int) -> tuple[Sequence[CommitLines], str]:
        del most, labels, reach
        return [self._lines], ""

    async def read(self, path: str, side: str = "head") -> bytes | None:
        return "\n".join(self._base).encode() if (path, side) == ("a.py", "base") else None


def _leaks(lines: list[str], before: list[str], base: list[str]) -> int:
    leaks = asyncio.run(history.find_leaks(_Commit(lines, before, base), []))
    assert len(leaks.findings) == len(lines) // 3
    return len(leaks.findings)


def _matches(size: int) -> bytes:
    return b"".join(b"%040d\n" % at + b"".join(b"%d\0row\n" % row for row in range(1, 9)) for at in range(size))


def _finding(at: int, quote: str = "x = 1") -> Finding:
    return Finding(
        "a.py",
        quote,
        f"Title {at}",
        f"Because {at}",
        "Harm",
        "low",
        "bug",
        (Source("model", "model"),),
        start=at,
        end=at,
    )


def _patch(size: int) -> RawChange:
    status = b"".join(b":100644 100644 a b M\0f%d\0" % at for at in range(size))
    patch = b"".join(b"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n" for _ in range(size))
    return RawChange(patch, status, {}, {})


def _changed(size: int) -> object:
    before = "".join(f"def a{at}():\n    return {at}\n" for at in range(size)).encode()
    after = "".join(f"def b{at}():\n    return {at}\n" for at in range(size)).encode()
    rows = after.decode().split("\n")
    file = ChangedFile(
        "a.py",
        "a.py",
        "modified",
        added_lines=frozenset(range(1, len(rows))),
        removed_lines=frozenset(range(1, len(rows))),
    )
    return symbols.changed_symbols(symbols.read(file, LANGUAGES["python"], before, after))


def _streamed(size: int) -> object:
    made = stream.Chat()
    for _ in range(size):
        made.take({"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "abc"}}]}}]})
    return made.whole()


ACTS: dict[str, tuple[int, Callable[[int], object]]] = {
    "a patch of many files": (500, lambda n: diff_read(_patch(n))),
    "attributes": (300, lambda n: [generated_marks({".gitattributes": b"a* linguist-generated\n" * n})(f"p{at}") for at in range(50)]),
    "changed definitions": (300, _changed),
    "units of one long file": (2_000, lambda n: cut([_file("a.py", ["x = 1"] * n)], Dependents(), Texts({"a.py": "x = 1\n" * n}, {}))),
    "secrets": (500, lambda n: _secrets(_file("a.py", [f'password = "a{at}b8Xq!z"' for at in range(n)]))),
    "one secret on many lines": (500, lambda n: _secrets(_file("a.py", ['k = "AKIAIOSFODNN7EXAMPLQ"'] * n))),
    "one long line with secrets": (2_000, lambda n: _secrets(_file("a.py", ["password=" * n]))),
    "keys that a commit changes": (1_000, lambda n: _leaks(_keys("new", n), _keys("old", n), [])),
    "keys of a commit beside those of the base": (1_000, lambda n: _leaks(_keys("new", n), [], _keys("base", n))),
    "what follows labels in many contents": (500, lambda n: commit_patches.regions(_matches(n))),
    "a quote in a file": (2_000, lambda n: quotes.locate("a\n" * n, "\n".join("a" * 100) + "b")),
    "findings of one file": (100, lambda n: merge.merge(_finding(at) for at in range(n))),
    "the place of a finding": (2_000, lambda n: place.place([_finding(1, "\n".join(["a" * 9] * 300))], [_file("a.py", ["a" * 9] * n)])),
    "an ignore list": (50, lambda n: suppress.read(b"- path: a/**\n  reason: x\n" * n, date(2030, 1, 1))),
    "open braces of an answer": (5_000, lambda n: answers.json_object("{" * n)),
    "half objects of an answer": (1_000, lambda n: answers.json_object('{"a":' * n)),
    "closing marks of an answer": (1_000, lambda n: answers.without_thinking("```\n" + "</think>" * n)),
    "pieces of a call": (5_000, _streamed),
    "escaped text": (5_000, lambda n: disarm.plain("`*_[a](b)<c>@d #1\n" * n)),
    "code": (5_000, lambda n: disarm.code("`" * n)),
    "a fence": (5_000, lambda n: disarm.fence("```\n" * n)),
    "written text": (5_000, lambda n: disarm.safe_json("[" * n + "](" * n)),
    "names of a row": (5_000, lambda n: identifiers.names([_unit("w" * n)])),
}  # fmt: skip

# A comment in Markdown, of this many characters' worth of each: what `/deeprepo` is looked for in.
COMMENTS = {
    "quotes": "> ", "nested quotes": ">", "lists": "- ", "numbers": "1. ", "brackets": "[", "images": "![", "links": "[a](", "emphasis": "*a_ ",
    "strong": "**a", "open tags": "<a ", "open comments": "<!--", "references": "[a]: <b> 'c'\n", "titles that do not end": "[a]: b '\n",
    "cells": "|a", "entities": "&#", "less than": "<", "addresses": "<http://", "mentions": "@deeprepo ", "returns": "\r", "NUL": "\0",
    "fences": "```\n", "fences in quotes": "~~~\n>", "tabs": "\t", "quoted lists": "> - ", "blocks": "<div>\n", "underlines": "a\n=\n",
    "backslashes": "\\", "struck through": "~~a", "ticks": "` `` ",
}  # fmt: skip


@pytest.mark.parametrize("name", few(COMMENTS, 4, 10))
def test_a_comment_costs_its_length(name: str) -> None:
    """Looking for commands and for our name in what anybody may write."""

    def read(factor: int) -> object:
        text = (COMMENTS[name] * 8_000)[: 1_000 * factor]
        return commands.read(text, "deeprepo[bot]"), commands.read_mentions(text, "deeprepo[bot]")

    assert not growth.slow(lambda factor: lambda: read(factor))


@pytest.mark.parametrize("name", few(ACTS, *range(0, len(ACTS), 4)))
def test_a_door_costs_its_length(name: str) -> None:
    """Four times as much takes about four times as long."""
    size, act = ACTS[name]
    assert not growth.slow(lambda factor: lambda: act(size * factor))
