"""The drawing of calls: every name is a label and nothing else."""

import re

import pytest

from bot.outputs import sketch
from bot.values import FileCalls

LINE = re.compile(r'  (f\d+\["[^"\n]*"\]|f\d+ -->\|"[^"\n]*"\| f\d+|style f\d+ stroke-width:3px)')


@pytest.mark.parametrize(
    "name",
    [
        'a"] --> b',
        'x"]\n  click f0 "https://evil.example"',
        "%%{init: {'theme': 'x'}}%%",
        "```\n<script>alert(1)</script>",
        "end",
        "`**bold**`",
        "<img src=x onerror=alert(1)>",
        "a;b#quot;c&lt;d",
        "f0@{ shape: image }",
        "\u202e\x1b[31m\u2028",
        "|label|",
        "größe/файл.py",
        "",
        "x" * 5_000,
    ],
)
def test_a_name_is_a_label(name: str) -> None:
    """Each line of the drawing is a node, an arrow or a frame. Characters of a name that Mermaid could interpret are written as numbers."""
    block = sketch.mermaid([FileCalls(name, "b.py", (name, "g")), FileCalls("c.py", "b.py", ("g",))], {name})
    head, first, *rows, last = block.split("\n")

    assert (head, first, last) == ("```mermaid", "flowchart LR", "```")
    assert [row for row in rows if not LINE.fullmatch(row)] == []
    labels = re.findall(r'"([^"]*)"', block)
    assert all(re.fullmatch(r"(?:[A-Za-z0-9_., /-]|#\d+;)+", label) for label in labels)
    assert max(map(len, labels)) < 600
