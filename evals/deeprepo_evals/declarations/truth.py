"""Declarations and uses as plain text shows them. Nothing of the product takes part: expressions decide, not its parsers."""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Loss(NamedTuple):
    """One declaration that is taken out: its lines, and the text that a file which uses it must match."""

    path: str
    name: str
    lines: range  # from 0
    users: tuple[str, ...]  # files that use it


@dataclass(frozen=True, slots=True)
class Syntax:
    """One format."""

    specs: tuple[str, ...]  # git pathspecs
    is_file: re.Pattern[str]
    losses: Callable[[str, str, Mapping[str, str]], Iterator[Loss]]  # path, text, all texts of the format


_TF = re.compile(r"^(variable|output|module)\s+\"([\w-]+)\"\s*\{", re.MULTILINE)
_LOCAL = re.compile(r"^  (\w+)\s+=\s")


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at)


def _indented(rows: Sequence[str], at: int) -> range:
    """A line with all lines below it that are indented deeper."""
    depth = len(rows[at]) - len(rows[at].lstrip())
    end = at + 1
    while end < len(rows) and (not rows[end].strip() or len(rows[end]) - len(rows[end].lstrip()) > depth):
        end += 1
    return range(at, end)


def _terraform(path: str, text: str, texts: Mapping[str, str]) -> Iterator[Loss]:
    rows, folder = text.split("\n"), posixpath.dirname(path)
    mates = {other: body for other, body in texts.items() if posixpath.dirname(other) == folder}
    for match in _TF.finditer(text):
        at = _line(text, match.start())
        end = next(
            (
                n
                for n in range(at, len(rows))
                if rows[n].startswith("}") or (n == at and rows[n].rstrip().endswith("}"))
            ),
            None,
        )
        if end is None:
            continue
        kind, name = match[1], match[2]
        if kind == "output":
            users = tuple(
                other
                for other, body in texts.items()
                for call in re.finditer(
                    r"^module\s+\"([\w-]+)\"\s*\{(?:(?!^\}).)*?source\s*=\s*\"(\.[^\"]*)\"",
                    body,
                    re.MULTILINE | re.DOTALL,
                )
                if posixpath.normpath(posixpath.join(posixpath.dirname(other), call[2])) == (folder or ".")
                and re.search(rf"(?m)^[^#\n]*\bmodule\.{call[1]}\.{name}\b", body)
            )
        else:
            word = "var" if kind == "variable" else "module"
            look = re.compile(rf"(?m)^[^#\n]*\b{word}\.{re.escape(name)}\b(?!-)")
            users = tuple(
                other
                for other, body in mates.items()
                if look.search("\n".join(rows[:at] + rows[end + 1 :]) if other == path else body)
            )
        if users:
            yield Loss(path, f"{name}", range(at, end + 1), users)


def _workflows(path: str, text: str, texts: Mapping[str, str]) -> Iterator[Loss]:
    rows = text.split("\n")
    for section, use in (("jobs", r"needs:.*\bNAME\b|^\s*-\s*NAME\s*$|needs\.NAME\."), ("inputs", r"inputs\.NAME\b")):
        for at, row in enumerate(rows):
            if not re.match(rf"\s*{section}:\s*$", row) or (section == "jobs" and row != "jobs:"):
                continue
            body = _indented(rows, at)
            depths = [
                len(rows[n]) - len(rows[n].lstrip())
                for n in body[1:]
                if rows[n].strip() and not rows[n].lstrip().startswith("#")
            ]
            for n in body[1:]:
                key = re.match(r"(\s+)([\w-]+):", rows[n])
                if key and depths and len(key[1]) == min(depths):
                    lines = _indented(rows, n)
                    rest = "\n".join(rows[: lines.start] + rows[lines.stop :])
                    if re.search(use.replace("NAME", re.escape(key[2])), rest, re.MULTILINE):
                        yield Loss(path, key[2], lines, (path,))
        _ = texts


def _charts(path: str, text: str, texts: Mapping[str, str]) -> Iterator[Loss]:
    rows = text.split("\n")
    chart = path[: path.index("templates/")] if "templates/" in path else posixpath.dirname(path) + "/"
    mine = {other: body for other, body in texts.items() if other.startswith(f"{chart}templates/")}
    if path.endswith("values.yaml"):
        for at, row in enumerate(rows):
            key = re.match(r"([A-Za-z]\w*):", row)
            if key:
                look = re.compile(rf"\.Values\.{key[1]}\b")
                users = tuple(other for other, body in mine.items() if look.search(body))
                if users:
                    yield Loss(path, key[1], _indented(rows, at), users)
    for match in re.finditer(r"^\{\{-?\s*define\s+\"([^\"]+)\"", text, re.MULTILINE):
        at = _line(text, match.start())
        end = next((n for n in range(at + 1, len(rows)) if re.match(r"\{\{-?\s*end\b", rows[n])), None)
        look = re.compile(rf"(?:include|template)\s+\"{re.escape(match[1])}\"")
        users = tuple(other for other, body in mine.items() if look.search(body))
        if end is not None and users:
            yield Loss(path, match[1], range(at, end + 1), users)


def _makefiles(path: str, text: str, texts: Mapping[str, str]) -> Iterator[Loss]:
    rows, folder = text.split("\n"), posixpath.dirname(path)
    for at, row in enumerate(rows):
        rule = re.match(r"([a-z][\w-]*):(?!=)", row)
        if not rule or len(re.findall(rf"(?m)^{re.escape(rule[1])}\s*::?(?!=)", text)) != 1:
            continue
        end = at + 1
        while end < len(rows) and (rows[end].startswith("\t") or rows[end - 1].endswith("\\")):
            end += 1
        cut = rows[:at] + rows[end:]
        name = re.escape(rule[1])
        rest = [line for line in cut if not line.startswith(".PHONY")]
        own = any(
            re.match(rf"[\w./-]+:[^=]*\s{name}(\s|$)", line) or re.search(rf"\$[({{]MAKE[)}}]\s+{name}(\s|$)", line)
            for line in rest
        )
        other_users = [
            other
            for other, body in texts.items()
            if not folder
            and other.startswith(".github/workflows/")
            and re.search(rf"(?m)^\s*(?:- )?(?:run: )?make {name}\s*$", body)
        ]
        is_phony = any(re.match(rf"\.PHONY\s*:.*\b{name}\b", line) for line in cut)
        if (own or other_users) and not is_phony:
            yield Loss(path, rule[1], range(at, end), (*([path] if own else []), *other_users))


def _packages(path: str, text: str, texts: Mapping[str, str]) -> Iterator[Loss]:
    rows, folder = text.split("\n"), posixpath.dirname(path)
    start = next((n for n, row in enumerate(rows) if re.match(r"\s*\"scripts\": \{\s*$", row)), None)
    if start is None:
        return
    body = _indented(rows, start)
    for n in body[1:]:
        key = re.match(r"\s+\"([\w:.-]+)\": \"", rows[n])
        if not key:
            continue
        name = re.escape(key[1])
        look = re.compile(rf"\b(?:npm run|pnpm run|yarn run|bun run|pnpm|yarn) {name}(?![\w:.-])")
        rest = "\n".join(rows[:n] + rows[n + 1 :])
        users = [path] if look.search(rest) else []
        users += [
            other
            for other, one in texts.items()
            if not folder and other.startswith(".github/workflows/") and look.search(one)
        ]
        if users:
            yield Loss(path, key[1], range(n, n + 1), tuple(users))


_FLOWS = (".github/workflows/*.yml", ".github/workflows/*.yaml")
SYNTAXES: Mapping[str, Syntax] = {
    "terraform": Syntax(("*.tf",), re.compile(r"\.tf$"), _terraform),
    "workflows": Syntax(
        (*_FLOWS, ":(glob)**/action.yml"),
        re.compile(r"^\.github/workflows/[^/]+\.ya?ml$|(^|/)action\.yml$"),
        _workflows,
    ),
    "charts": Syntax(
        (":(glob)**/values.yaml", ":(glob)**/Chart.yaml", ":(glob)**/templates/*.yaml", ":(glob)**/templates/*.tpl"),
        re.compile(r"(^|/)values\.yaml$|/templates/[^/]+\.(yaml|tpl)$"),
        _charts,
    ),
    "makefiles": Syntax((":(glob)**/Makefile", "*.mk", *_FLOWS), re.compile(r"(^|/)Makefile$"), _makefiles),
    "packages": Syntax((":(glob)**/package.json", *_FLOWS), re.compile(r"(^|/)package\.json$"), _packages),
}
