"""The pages of the documentation, taken apart: fenced blocks, headings, links, code spans."""

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
    """A fenced block: what stands behind the fence, its lines, and where it begins."""

    info: tuple[str, ...]
    text: str
    line: int

    @property
    def runs(self) -> bool:
        """Whether it is marked as one that a test carries out."""
        return self.info[:2] in {("console", "run"), ("sh", "run")}

    @property
    def joined(self) -> str:
        """Its text, with lines that end in a backslash joined to what follows."""
        return self.text.replace("\\\n", " ")


@dataclass(frozen=True)
class Command:
    """A command as a page shows it, and what it shows as its output ("" where it shows none)."""

    typed: str
    shown: str
    line: int


def name(page: Path) -> str:
    """A page as a test's name."""
    return str(page.relative_to(ROOT))


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    return [Block(tuple(m[1].split()), m[2], text.count("\n", 0, m.start()) + 1) for m in FENCE.finditer(text)]


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def commands(block: Block) -> Iterator[Command]:
    """The commands of a block: each begins with "$ ", and what stands below it is its output."""
    lines = block.joined.splitlines()
    begins = [number for number, line in enumerate(lines) if line.startswith(PROMPT)]
    for number, end in pairwise([*begins, len(lines)]):
        shown = "\n".join(lines[number + 1 : end])
        yield Command(lines[number].removeprefix(PROMPT), shown, block.line + number + 1)


def anchors(page: Path) -> set[str]:
    """What a link may name behind "#": headings, as GitHub spells them."""
    headings = re.findall(r"^#{1,6} (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def links(page: Path) -> list[str]:
    """Where the links and pictures of a page lead."""
    text = prose(page)
    return [
        *re.findall(r"\]\(([^()\s]+)\)", text),
        *re.findall(r'<(?:img|a|source)\b[^>]*?(?:src|href|srcset)="([^"]+)"', text),
    ]


def spans(page: Path) -> list[str]:
    """The code spans of a page."""
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", prose(page))
