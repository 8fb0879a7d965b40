"""What the lists of the repository, and of the person at the terminal, silence in a review."""

from bot.brief import Brief
from bot.checkout import Checkout
from bot.features.teaching.names import FILE, LOCAL_FILE
from bot.findings.silencing import IgnoreList
from bot.review.hooks import ReviewHooks


class ListedFindings(ReviewHooks):
    """Reads them as they are on the base branch, and in the git folder."""

    async def silences(self, brief: Brief, tree: Checkout) -> IgnoreList:
        """Return the entries of both."""
        text = await tree.at_tip(FILE)
        if text is None and brief.local is None:
            return IgnoreList()
        from bot.features.teaching.ignore_file import read_ignore_file  # here: it loads slower than a review by code

        theirs = read_ignore_file(text, brief.today)
        return theirs.join(read_ignore_file(brief.local, brief.today, LOCAL_FILE))


LISTED_FINDINGS = ListedFindings()
