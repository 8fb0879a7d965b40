"""Long texts without gaps: chunks, and questions about whole files."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from families import few
from shop import Table, called, quiet

from bot.review.agent import loop
from bot.review.session import Session
from deeprepo.impact.ports import Tree
from deeprepo.rlm.values import Prompt

NEEDLE = "the_magic_word = 'heron'"


def haystack(size: int, at: float) -> str:
    """Return lines of filler that contain the needle once."""
    lines = [f"value_{number} = compute({number})" for number in range(size // 28)]
    lines.insert(min(int(len(lines) * at), len(lines)), NEEDLE)
    return "\n".join(lines)


def finder(asked: Prompt) -> Mapping[str, Any]:
    """Answer like a worker that only knows the text in its prompt."""
    text = asked.messages[1].text
    if NEEDLE not in text:
        return quiet(asked)
    path = re.search(r"--- (.+?) ---", text)
    return {
        "answer": "heron",
        "found": True,
        "quotes": [{"path": path[1] if path else "", "quote": NEEDLE}],
        "findings": [],
    }


def asked(table: Table, files: Mapping[str, str], code: str) -> tuple[list[str], Session]:
    """Run code in the REPL with these files added; return what it prints, and the session."""
    entries = {path: text.encode() for path, text in files.items()}

    class Fuller:
        """The real tree with additional files."""

        def __init__(self, tree: Tree) -> None:
            self.tree = tree

        async def entries(self, side: str = "head") -> Mapping[str, Any]:
            return {**await self.tree.entries(side), **dict.fromkeys(entries)}

        async def read(self, path: str, side: str = "head") -> bytes | None:
            return entries[path] if path in entries else await self.tree.read(path, side)

        async def read_many(self, paths: list[str], side: str = "head") -> dict[str, bytes]:
            mine = {path: entries[path] for path in paths if path in entries}
            return mine | await self.tree.read_many([path for path in paths if path not in entries], side)

    table.root = [called(code), called("set_answer('done')")]

    async def step(session: Session) -> tuple[list[str], Session]:
        session.tree = Fuller(session.tree)  # type: ignore[assignment]
        transcript = await loop.run(session, "The seed.", gate=False)
        return [turn.observation.output or str(turn.observation.error) for turn in transcript.turns], session

    return table.run(step)


@pytest.mark.parametrize("size", [8_000, 64_000, 250_000, 1_000_000])
@pytest.mark.parametrize("at", few([0.1, 0.3, 0.5, 0.7, 0.9, 1.0], *range(0, 6, 3)))
def test_needle_is_found_on_any_line(table: Table, size: int, at: float) -> None:
    """A question about a long file reaches every line, and the quote has the right line number."""
    text = haystack(size, at)
    table.worker = finder
    code = (
        "r = ask(['big.py'], 'What is the magic word?')\nprint(r['found'], r['answer'], r['quotes'][0], r['read'][-1])"
    )
    said, _ = asked(table, {"big.py": text}, code)
    line = text.split("\n").index(NEEDLE) + 1
    last = text.count("\n") + 1
    assert said[0].startswith(f"True heron ['big.py', {NEEDLE!r}, {line}] big.py:".replace('"', '"'))
    assert said[0].strip().endswith(f"-{last}")


def test_not_found_and_not_read_are_distinguished(table: Table) -> None:
    """`found` is False if everything was read, and None if a part could not be read."""
    table.worker = finder
    code = (
        "for paths in (['big.py'], ['big.py', 'nowhere.py']):\n"
        "    r = ask(paths, 'The magic word?')\n"
        "    print(r['found'], len(r['read']), r['read'][0].split('-')[0], r['error'][:8])"
    )
    said, _ = asked(table, {"big.py": haystack(100_000, 0.5).replace(NEEDLE, "nothing")}, code)
    assert said[0] == "False 3 big.py:1 \nNone 3 big.py:1 not read\n"


def test_answer_without_a_verbatim_quote_is_rejected(table: Table) -> None:
    """A worker's answer that quotes nothing from the text is not believed."""
    table.worker = lambda given: {
        **quiet(given),
        "answer": "yes",
        "found": True,
        "quotes": [{"path": "big.py", "quote": "magic"}],
    }
    said, _ = asked(table, {"big.py": "x = 1\n"}, "r = ask(['big.py'], 'Magic?')\nprint(r['found'], r['answer'])")
    assert said[0] == "False yes [not believed: it quotes nothing that stands in what was read]\n"


def test_failed_chunk_gives_none_and_not_false(table: Table) -> None:
    """If one chunk gets no answer, `found` is None and not False."""
    table.worker = lambda given: "prose" if "value_2000 " in given.messages[1].text else finder(given)
    said, _ = asked(
        table, {"big.py": haystack(100_000, 0.5).replace(NEEDLE, "x")}, "print(ask('big.py', '?')['found'])"
    )
    assert said[0] == "None\n"
