"""The hook that silences findings with the ignore list that earlier versions wrote."""

from bot.brief import Brief
from bot.checkout import Checkout
from bot.findings.silencing import IgnoreList
from bot.review.hooks import ReviewHooks

FILE = ".deeprepo/ignore.yml"


class IgnoreLists(ReviewHooks):
    """Reads the ignore list on the base branch."""

    async def silences(self, brief: Brief, tree: Checkout) -> IgnoreList:
        """Return the entries of the list."""
        text = await tree.settings_at_tip(FILE)
        if text is None:
            return IgnoreList()
        # Imported here because it loads slower than static checks.
        from bot.features.teaching import ignore_file

        return ignore_file.read(text, brief.today)


IGNORE_LISTS = IgnoreLists()
