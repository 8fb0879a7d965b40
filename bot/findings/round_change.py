"""The change of a round as the findings of earlier rounds see it: whether their words are gone, where they stand, what has changed about them."""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from bot.findings import suggest
from bot.findings.occurrences import FileText, QuotedWords
from bot.ports import Tree
from bot.text.paths import is_code
from bot.values import ChangedFile, Earlier, Evidence, Finding, Side, at_least

TELLING_LINE = 12  # characters of a line that is looked for within others


class RoundChange:
    """The change of this round as the findings of earlier ones see it. Its files are those of this round and of the one before."""

    def __init__(
        self,
        earlier: Earlier,
        tree: Tree,
        files: Sequence[ChangedFile],
        reread: Collection[tuple[str, int, int]],
        before: Mapping[str, str],
    ) -> None:
        self.tree, self.files, self.before_head = tree, files, earlier.head
        self._reread, self._before = reread, before
        self._names = {path for file in files for path in (file.path, file.old_path) if path}
        self._paths = dict.fromkeys([*(file.path for file in files), *earlier.files])
        self._changed_then = frozenset(earlier.files)
        self._findings = earlier.findings
        self._texts: Mapping[str, FileText] | None = None
        self._others: dict[tuple[str, Side], Sequence[FileText]] = {}

    async def is_taken_back(self, past: Finding) -> bool:
        """Whether the finding's file was changed at that time and is as it was before again, and nothing that proved it is left; or the whole change."""
        if self._changed_then and not self.files:
            return True
        is_back = past.path in self._changed_then and past.path not in self._names
        return is_back and past.path in await self.tree.entries("head") and not await self._has_evidence(past)

    async def is_gone(self, past: Finding) -> bool:
        """Whether the words of a finding stand nowhere in the change.

        Of a removed line: whether its file is as before the change. If the quote was there before the change, and of a removed line, the
        words of the evidence have to be gone too. A file that nobody could read may hold anything.
        """
        if self._changed_then and not self.files:
            return True  # the whole change was taken back
        if past.side == "base":
            return await self._is_as_before(past.path) and not await self._has_evidence(past)
        if await self._holder(past.path, past.quote, past) is not None or not await self._is_searchable():
            return False
        words, old = QuotedWords(past.path, past.quote), self._old_path(past.path)
        if not past.evidence and words.stand_in(await self._read(past.path, "head")) is not None:
            return False  # it stands outside of the change, and nothing tells what brought it
        return words.stand_in(await self._read(old, "base")) is None or not await self._has_evidence(past)

    async def is_applied(self, past: Finding) -> bool:
        """Whether the suggestion has replaced the quoted lines, the rest of the file is the same, and those lines are gone."""
        texts = await self._read(past.path, "head")
        if not past.suggestion or past.side != "head" or past.path not in self._before or not texts:
            return False
        if not suggest.is_in_place(past, self._before[past.path], texts[0].text):
            return False
        words = QuotedWords(past.path, past.quote)
        return not words.stand_whole_in([*texts, *(await self._load()).values()])

    async def find_unseen(self, past: Finding) -> Finding | None:
        """The finding of a check that could not look: at its place, or if its file is gone where its words are; None if they are gone too."""
        entries = await self.tree.entries(past.side)
        places = (
            past.path,
            *map(str, PurePosixPath(past.path).parents),
        )  # a link or a submodule may be in a folder's place
        if any(place in entries for place in places) or new_path(past.path, self.files) != past.path:
            return replace(past, status="still", how="")
        here = await self.find_words(past)
        lives_on = here is None and any(may_hold(file, past) for file in self.files)
        return replace(past, status="still", how="") if lives_on else here

    async def find_words(self, past: Finding) -> Finding | None:
        """The finding where its words stand now: at its own path, else in the change."""
        if past.side == "base":
            return replace(past, status="still", how="")
        words = QuotedWords(past.path, past.quote)
        own = await self._read(past.path, "head")
        file = words.stand_in(own) or await self._holder(past.path, past.quote, past)
        if file is None:
            return None
        start, end = words.lines_in(file, past.start)
        has_moved = (file.path, start) != (past.path, past.start)
        return replace(past, path=file.path, start=start, end=end, status="still", how="moved" if has_moved else "")

    async def is_doubtful(self, past: Finding, here: Finding) -> bool:
        """Whether anything about an open finding has changed since the round before, so that somebody has to look again."""
        if here.unconfirmed or here.path != past.path or _within(here, self._reread):
            return True
        if past.side == "base" or await self.find_words(past) is None:
            return await self._is_touched(past.path)
        if (past.path in self._changed_then) > (past.path in self._names):  # the change has left its file
            return True
        heads = [item for item in past.evidence if item.side == "head" and not item.repository]
        return any([await self._is_touched(one.path) for one in heads if not await self._stands(one)])

    def _old_path(self, path: str) -> str:
        return next((file.old_path for file in self.files if file.path == path and file.old_path), path)

    async def _holder(self, path: str, quote: str, past: Finding | None = None) -> FileText | None:
        """The file of the change in which words stand; not one in which other open findings account for each place that has them."""
        texts, words = await self._load(), QuotedWords(path, quote)
        first = dict.fromkeys((path, new_path(path, self.files)))
        owners = Counter(one.path for one in self._findings if past is not None and _is_twin(one, past))
        order = [
            texts[name]
            for name in dict.fromkeys((*first, *texts))
            if name in texts and (name in first or not 0 < words.count_in(texts[name]) <= owners[name])
        ]
        return words.stand_in(order)

    async def _has_evidence(self, past: Finding) -> bool:
        """Whether any of what proved a finding still stands in the change."""
        return any([await self._stands(item) for item in past.evidence])

    async def _stands(self, item: Evidence) -> bool:
        if item.repository:
            return True
        if item.side == "base":
            return item.path in self._names
        return await self._holder(item.path, item.quote) is not None

    async def _is_as_before(self, path: str) -> bool:
        head, base = (await self.tree.entries("head")).get(path), (await self.tree.entries("base")).get(path)
        return head is not None and base is not None and (head.oid, head.kind) == (base.oid, base.kind)

    async def _is_touched(self, path: str) -> bool:
        """Whether a file is another one than in the round before, or was read again."""
        if (path in self._changed_then) != (path in self._names) or any(row[0] == path for row in self._reread):
            return True
        texts = await self._read(path, "head")
        return path in self._before and (not texts or texts[0].text != self._before[path].replace("\0", ""))

    async def _is_searchable(self) -> bool:
        """Whether each file of the change could be looked through, but for what nobody takes for a text."""
        texts = await self._load()
        return not any(one.is_unreviewed and one.status != "deleted" and one.path not in texts for one in self.files)

    async def _load(self) -> Mapping[str, FileText]:
        """The texts of the change, read once if they are asked for."""
        if self._texts is None:
            blobs = await self.tree.read_many([*self._paths])
            self._texts = {path: FileText(path, blobs[path]) for path in self._paths if path in blobs}
        return self._texts

    async def _read(self, path: str, side: Side) -> Sequence[FileText]:
        """One file of either tree, if it is there; it need not belong to the change."""
        if side == "head" and self._texts is not None and path in self._texts:
            return [self._texts[path]]
        if (path, side) not in self._others:
            blob = await self.tree.read(path, side)
            self._others[path, side] = [FileText(path, blob)] if blob is not None else []
        return self._others[path, side]


def may_hold(file: ChangedFile, finding: Finding) -> bool:
    """Whether a changed file may hold the lines of a finding whose own file is gone.

    That is a new one that was not looked at (a submodule, a link, an archive), and one with these lines that is new or is not code:
    a notebook holds code as texts, a script as an argument.
    """
    if file.status == "added" and file.is_unreviewed:
        return True
    if file.status != "added" and is_code(file.path):
        return False
    lines = [line.strip() for line in finding.quote.split("\n") if line.strip()]
    texts = [row.text for hunk in file.hunks for row in hunk.lines if row.kind == "+"]
    return bool(lines) and all(any(_is_within(line, text) for text in texts) for line in lines)


def _is_within(line: str, text: str) -> bool:
    """Whether a line is a line of a text, or a part of one that is long enough to be no coincidence, also as JSON writes it."""
    if text.strip() == line:
        return True
    return len(line) >= TELLING_LINE and (line in text or json.dumps(line)[1:-1] in text)


def new_path(path: str, files: Sequence[ChangedFile]) -> str:
    """What the change has renamed a file to; the same path if it has not."""
    return next((file.path for file in files if file.old_path == path and file.status == "renamed"), path)


def _is_twin(one: Finding, past: Finding) -> bool:
    """Whether another finding says the same of the same words elsewhere, and no less."""
    same = (one.side, one.quote, one.category) == ("head", past.quote, past.category)
    return same and one.path != past.path and at_least(one.severity, past.severity)


def _within(finding: Finding, spans: Collection[tuple[str, int, int]]) -> bool:
    return any(path == finding.path and start <= finding.start <= end for path, start, end in spans)
