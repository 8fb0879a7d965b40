"""Fail if a part of the repository is larger than size.toml allows; with --lower, lower the table to today's sizes.

What is counted, per part:
- tokens: Python tokens without comments, line breaks and indentation. A docstring or an f-string is one token.
- patterns: uses of the functions of `re`, other than `re.escape`.
- limits: whole numbers in the code other than -1, 0, 1 and 2, except as the bounds of slices.
- lines: of all text files other than JSON.
"""

import ast
import io
import math
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = Path(__file__).with_name("size.toml")
PYTHON = {
    "bot/": "bot",
    "deeprepo/impact/": "deeprepo/impact",
    "deeprepo/rlm/": "deeprepo/rlm",
    "deeprepo/": "rest of deeprepo",
    "tests/": "tests",
}
LINES = ("templates", "evals", "benchmarks", "sandbox")
LAYOUT = ("COMMENT", "NL", "NEWLINE", "INDENT", "DEDENT", "FSTRING_START", "TSTRING_START")
ROOM = 1.005  # what --lower leaves above today's sizes


def tokens(text: str) -> int:
    """Count tokens. Newer versions of Python split f-strings, so their parts are skipped."""
    count = depth = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        name = tokenize.tok_name[token.type]
        depth -= name.endswith("STRING_END")
        count += depth == 0 and name not in LAYOUT
        depth += name.endswith("STRING_START")
    return count


def limits_and_patterns(text: str) -> tuple[int, int]:
    """Count the limits and the uses of `re`."""
    nodes = list(ast.walk(ast.parse(text)))
    bounds = [bound for node in nodes if isinstance(node, ast.Slice) for bound in (node.lower, node.upper)]
    skipped = {id(getattr(bound, "operand", bound)) for bound in bounds}  # [:-5] has an operand
    numbers = [node for node in nodes if isinstance(node, ast.Constant) and type(node.value) is int]
    limits = sum(number.value not in (0, 1, 2) and id(number) not in skipped for number in numbers)
    used = [node.attr for node in nodes if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "re"]
    return limits, sum(name.islower() and name not in ("escape", "error") for name in used)


def measure() -> Counter[tuple[str, str]]:
    """Return the size of each part in the work tree."""
    listed = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    sizes: Counter[tuple[str, str]] = Counter()
    for name in sorted(name for name in names if (ROOT / name).is_file()):
        text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
        part = next((part for folder, part in PYTHON.items() if name.startswith(folder)), "")
        if part and name.endswith(".py"):
            sizes["tokens", part] += (count := tokens(text))
            sizes["tokens", "total"] += count
            limits, patterns = limits_and_patterns(text) if part != "tests" else (0, 0)
            sizes["limits", part] += limits
            sizes["patterns", part] += patterns
        elif part and part != "tests" and name.endswith((".scm", ".toml")):
            sizes["lines", "queries and tables"] += len(text.splitlines())
        elif (folder := name.partition("/")[0]) in LINES and not name.endswith((".json", ".jsonl", ".gz")):
            sizes["lines", folder] += len(text.splitlines())
    sizes["rows", "promises"] = len(re.findall(r"^\| \d+ \|", (ROOT / "tests/PROMISES.md").read_text(), re.MULTILINE))
    return +sizes  # without parts of size 0


def main() -> None:
    """Compare the sizes with the table, or lower the table."""
    sizes, table = measure(), tomllib.loads(TABLE.read_text())
    if sys.argv[1:] == ["--lower"]:
        for (kind, part), size in sizes.items():
            table[kind][part] = min(math.ceil(size * ROOM), table[kind][part])
        sections = ([f"[{kind}]", *(f'"{part}" = {most}' for part, most in table[kind].items())] for kind in table)
        TABLE.write_text("\n\n".join("\n".join(section) for section in sections) + "\n")
        return
    above = [
        f"{kind} of {part}: {size:,}, at most {table[kind][part]:,}"
        for (kind, part), size in sizes.items()
        if size > table[kind][part]
    ]
    if above:
        sys.exit("\n".join(["Larger than .ci/size.toml allows (CONTRIBUTING.md, The sum goes down):", *above]))


main()
