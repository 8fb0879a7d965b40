"""What an environment of conda lists, as pip would have it: a requirement on each line, or several in brackets."""

import re
from collections.abc import Iterator

from bot.text.lines import utf8

LONGEST = 1_000  # characters of a line
LISTS = re.compile(r"^dependencies[ \t]*:", re.MULTILINE)
ENTRY = re.compile(r"^[ \t]*+-[ \t]++([^#\n]++)")
BRACKETS = re.compile(r"[ \t]*(?:-[ \t]+)?(?:dependencies|pip)[ \t]*:[ \t]*\[")
PART = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|\[[^\[\]\n]*\]|[^,\[\]{}'\"#\n]+|[\[\]{},#]")
SINGLE = re.compile(r"(?<![=<>!~])=(?!=)")


def asked_entries(source: bytes) -> Iterator[tuple[str, int]]:
    """Each requirement as it is written, with its line; nothing of a file that lists no dependencies."""
    text, is_inside = utf8(source).decode("utf-8", "replace"), False
    for number, whole in enumerate(text.splitlines() if LISTS.search(text) else (), 1):
        line = whole[:LONGEST]
        begin = None if is_inside else BRACKETS.match(line)
        if is_inside or begin:
            entries, is_inside = _listed(line[begin.end() :] if begin else line)
        else:
            entry = ENTRY.match(line)
            entries = [entry[1]] if entry and not entry[1].strip().endswith(":") else []
        for one in entries:
            yield SINGLE.sub("==", one.strip().strip("'\"").strip().rpartition("::")[2]), number


def _listed(text: str) -> tuple[list[str], bool]:
    """The entries of a list up to its closing bracket, or to the end of the line; whether it goes on behind that."""
    entries = [""]
    for part in PART.findall(text):
        if part in ("]", "#"):
            return [one for one in entries if one.strip()], part == "#"
        if part in (",", "[", "{", "}"):
            entries.append("")
        elif part.startswith("[") and not entries[-1].strip():
            entries += part[1:-1].split(",")
        elif re.fullmatch(r"\s*['\"]?pip['\"]?\s*:\s*", entries[-1] + part):
            entries[-1] = ""
        else:
            entries[-1] += part
    return [one for one in entries if one.strip()], True
