"""Replace secrets in code with placeholders, before models or tests written by models can see the code.

Whole files are searched for secrets, because part of a secret may not be recognized.
`deeprepo.rlm.money.calls` masks the same secrets in prompts, and `bot/review/written.py` masks them in
output.
"""

import io
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from bot.checkout import git
from bot.machine import files
from bot.secrets.masking.masks import Masks
from bot.values import Query, Side
from deeprepo.impact.ports import Tree
from deeprepo.impact.views import TreeView

if TYPE_CHECKING:
    import tarfile

    from bot.ports import KnownSecrets

MASKED_SEARCH_SECONDS = 5.0  # timeout for searching masked lines
# Files up to this size are searched for secrets, unless there is a NUL byte in their first bytes.
MAX_TEXT_BYTES, HEAD_BYTES = 2 << 20, 8_000


def create_known_secrets() -> "KnownSecrets":
    """Return an empty set of known secrets for a review.

    Secrets that are added later are masked everywhere.
    """
    return Masks()


class MaskedTree(TreeView):
    """A `Tree` that adds the secrets in each file that it reads to the known secrets."""

    def __init__(self, tree: Tree, masks: "KnownSecrets") -> None:
        super().__init__(tree)
        self._masks = masks

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> Mapping[str, bytes]:
        """Return the contents of many files, including secrets. The caller must mask them."""
        blobs = await self._tree.read_many(paths, side)
        self._masks.learn_files({path: blob.decode("utf-8", "replace") for path, blob in blobs.items()})
        return blobs

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        """Return the matching lines as (path, line, text).

        A line with a secret only counts if it also matches after masking. Otherwise repeated searches could
        guess the secret.
        """
        rows = await self._tree.grep_lines(query)
        await self.read_many(list(dict.fromkeys(path for path, _, _ in rows)), query.side)
        shown = {row: text for row in rows if (text := self._masks.hide_known(row[2])) != row[2]}
        if not shown:
            return rows
        # The search may be for a placeholder.
        patterns = [self._masks.hide_known(pattern) for pattern in query.patterns]
        matching = await _matching(query, patterns, list(shown.values()))
        left_out = {row for row, is_matching in zip(shown, matching, strict=True) if not is_matching}
        return tuple(row for row in rows if row not in left_out)


class ShownTree(MaskedTree):
    """The two trees with masked secrets, as models see them.

    Quotes by models are checked against this text.
    """

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> Mapping[str, bytes]:
        """Return the contents of many files, with secrets replaced by placeholders."""
        blobs = await super().read_many(paths, side)
        return {
            path: self._masks.hide_known(blob.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
            for path, blob in blobs.items()
        }


async def _matching(query: Query, patterns: Sequence[str], lines: Sequence[str]) -> list[bool]:
    """Return for each line whether it matches a query. If the search takes too long, no line matches.

    This uses `git grep`, like searches in a tree.
    """
    syntax = "-F" if query.syntax == "fixed" else "-P"
    words = [*(["-w"] if query.word else []), syntax, *(part for one in patterns for part in ("-e", one))]
    with tempfile.TemporaryDirectory(prefix="deeprepo-shown-") as folder:
        texts = {str(number): f"{line}\n".encode("utf-8", "surrogateescape") for number, line in enumerate(lines)}
        files.fill(Path(folder), texts)
        limits: dict[str, Any] = {"seconds": MASKED_SEARCH_SECONDS, "rows": None, "most": MAX_TEXT_BYTES}
        command = ("grep", "--no-index", "-l", "-I", "--no-color", *words, "--", ".")
        result = await git.search(*command, cwd=folder, env=None, **limits)
    found = set() if result.was_stopped else {PurePosixPath(name).name for name in result.out.decode().split()}
    return [str(number) in found for number in range(len(lines))]


def archive_without_secrets(archive: bytes, folder: str) -> bytes:
    """Return a tar archive of `folder` in which secrets in text files are replaced by placeholders.

    The output of a test is shown to a model and to people, and the test could print secrets in any form. So
    it must not have access to any. All files get new modification times, so that build tools rebuild what was
    built from the base. The archive has no end marker, so more files can be appended.
    """
    import tarfile  # imported here because few reviews run tests

    masks, whole, now = create_known_secrets(), io.BytesIO(), int(time.time()) + 1
    # A first pass, because the last file's secrets can occur in the first file
    for about, data in _members(archive):
        if _is_text(data):
            masks.learn(data.decode("utf-8", "surrogateescape"), about.name.removeprefix(folder))
    with tarfile.TarFile(fileobj=whole, mode="w", format=tarfile.GNU_FORMAT) as new:
        for about, data in _members(archive):
            text = data
            if _is_text(data):
                text = masks.hide_known(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
            about.size, about.mtime, about.pax_headers = len(text), now, {}
            new.addfile(about, io.BytesIO(text))
        end = new.offset
    return whole.getvalue()[:end]


def _members(archive: bytes) -> "Iterator[tuple[tarfile.TarInfo, bytes]]":
    """Yield all members of an archive, with the content of regular files."""
    import tarfile

    with tarfile.TarFile(fileobj=io.BytesIO(archive)) as known:
        for about in known:
            file = known.extractfile(about) if about.isreg() else None
            yield about, file.read() if file is not None else b""


def _is_text(data: bytes) -> bool:
    return 0 < len(data) <= MAX_TEXT_BYTES and b"\0" not in data[:HEAD_BYTES]
