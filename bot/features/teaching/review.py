"""The hook that silences findings with the repository's ignore list and the user's own one."""

from bot.brief import Brief
from bot.checkout import Checkout
from bot.features.teaching.names import FILE, LOCAL_FILE
from bot.findings.silencing import IgnoreList
from bot.review.hooks import ReviewHooks


class IgnoreLists(ReviewHooks):
    """Reads the ignore lists on the base branch and in the git folder."""

    async def silences(self, brief: Brief, tree: Checkout) -> IgnoreList:
        """Return the entries of both lists."""
        text = await tree.settings_at_tip(FILE)
        if text is None and brief.local is None:
            return IgnoreList()
        # Imported here because it loads slower than static checks.
        from bot.features.teaching.ignore_file import read_ignore_file

        theirs = read_ignore_file(text, brief.today)
        return theirs.join(read_ignore_file(brief.local, brief.today, LOCAL_FILE))


IGNORE_LISTS = IgnoreLists()
