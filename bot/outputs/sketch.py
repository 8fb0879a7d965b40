"""Calls across files as a Mermaid drawing. GitHub runs what is in such a block, so names enter it letter by letter. Pure.

A label may hold the letters, digits and few signs that `PLAIN` lists; every other character is written as its number, which
Mermaid shows and never reads. So no name can end its label, its line or the block, and none can add a click, a link or HTML.
"""

import re
from collections.abc import Collection, Sequence

from bot.render import Safe
from bot.values import FileCalls

PLAIN = re.compile(r"[^A-Za-z0-9_., /-]")
LONGEST = 48  # characters of a label before they are escaped
CHANGED = "stroke-width:3px"  # no colour: the drawing is shown on light and on dark pages


def mermaid(calls: Sequence[FileCalls], changed_paths: Collection[str]) -> Safe:
    """The block; empty without calls. `changed_paths`: the paths of the change."""
    if not calls:
        return Safe()
    paths = list(dict.fromkeys(path for call in calls for path in (call.caller, call.callee)))
    nodes = {path: f"f{number}" for number, path in enumerate(paths)}
    rows = ["flowchart LR"]
    rows += [f'  {node}["{label(path)}"]' for path, node in nodes.items()]
    rows += [f'  {nodes[call.caller]} -->|"{label(", ".join(call.names))}"| {nodes[call.callee]}' for call in calls]
    bold = [node for path, node in nodes.items() if path in changed_paths]
    rows += [f"  style {node} {CHANGED}" for node in bold]
    return Safe("\n".join(["```mermaid", *rows, "```"]))


def label(name: str) -> str:
    """The end of a name, with every character that could mean something to Mermaid written as its number."""
    short = name if len(name) <= LONGEST else f"…{name[-LONGEST:]}"
    return PLAIN.sub(lambda match: f"#{ord(match[0])};", short) or "-"
