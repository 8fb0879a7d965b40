"""Parse the documentation's pages: fenced blocks, headings, links and code spans."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
FENCE = re.compile(r"^```(.*)\n((?:.*\n)*?)```$", re.MULTILINE)
PROMPT = "$ "


@dataclass(frozen=True)
class Block:
    """A fenced block: the words after the opening fence, its text, and its line number."""

    info: tuple[str, ...]
    text: str
    line: int

    @property
    def runs(self) -> bool:
        """Whether the block is marked to be run by a test."""
        return self.info[:2] in {("console", "run"), ("sh", "run")}

    @property
    def joined(self) -> str:
        """The block's text, with backslash continuations joined."""
        return self.text.replace("\\\n", " ")


@dataclass(frozen=True)
class Command:
    """A command on a page and the output shown below it, or "" if none is shown."""

    typed: str
    shown: str
    line: int


def name(page: Path) -> str:
    """Return the page's path, as a test id."""
    return str(page.relative_to(ROOT))


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    return [Block(tuple(m[1].split()), m[2], text.count("\n", 0, m.start()) + 1) for m in FENCE.finditer(text)]


def prose(page: Path) -> str:
    """Return a page's text without fenced blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def commands(block: Block) -> Iterator[Command]:
    """Yield a block's commands. Each begins with "$ " and is followed by its output."""
    lines = block.joined.splitlines()
    begins = [number for number, line in enumerate(lines) if line.startswith(PROMPT)]
    for number, end in pairwise([*begins, len(lines)]):
        shown = "\n".join(lines[number + 1 : end])
        yield Command(lines[number].removeprefix(PROMPT), shown, block.line + number + 1)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub spells them."""
    headings = re.findall(r"^#{1,6} (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def links(page: Path) -> list[str]:
    """Return the targets of a page's links and images."""
    text = prose(page)
    return [
        *re.findall(r"\]\(([^()\s]+)\)", text),
        *re.findall(r'<(?:img|a|source)\b[^>]*?(?:src|href|srcset)="([^"]+)"', text),
    ]


def spans(page: Path) -> list[str]:
    """Return the code spans on a page."""
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", prose(page))
