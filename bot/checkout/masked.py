"""The trees of a change, for code that answers a model: it collects the secrets of every file that is read, so that they can be masked.

A file is looked through as a whole, because a part of a secret is not recognised as one.
"""

from collections.abc import Mapping, Sequence

from bot.checkout.tree import TreeView
from bot.masking.masks import Masks
from bot.ports import Tree
from bot.values import Query, Side


class MaskedTree(TreeView):
    """A `Tree` that learns the secrets of each file of which it hands something over."""

    def __init__(self, tree: Tree, masks: Masks) -> None:
        super().__init__(tree)
        self._masks = masks

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> Mapping[str, bytes]:
        """The contents of many files, with their secrets: who shows a part of one hides them."""
        blobs = await self._tree.read_many(paths, side)
        self._masks.learn_files({path: blob.decode("utf-8", "replace") for path, blob in blobs.items()})
        return blobs

    async def grep_lines(self, query: Query) -> tuple[tuple[str, int, str], ...]:
        """The matching lines as (path, line, text)."""
        rows = await self._tree.grep_lines(query)
        await self.read_many(list(dict.fromkeys(path for path, _, _ in rows)), query.side)
        return rows


class ShownTree(MaskedTree):
    """The same, with the texts as readers are shown them: a quote counts only if it occurs in what they saw."""

    async def read_many(self, paths: Sequence[str], side: Side = "head") -> Mapping[str, bytes]:
        """The contents of many files, a placeholder in the place of each secret."""
        blobs = await super().read_many(paths, side)
        return {
            path: self._masks.hide_known(blob.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
            for path, blob in blobs.items()
        }
