"""Read the ignore list that earlier versions wrote."""

from bot.brief import Brief
from bot.checkout import Checkout
from bot.findings.silencing import IgnoreList

FILE = ".deeprepo/ignore.yml"


async def old_ignore_list(brief: Brief, tree: Checkout) -> IgnoreList:
    """Return the entries of the list on the base branch."""
    text = await tree.settings_at_tip(FILE)
    if text is None:
        return IgnoreList()
    # Imported here because it loads slower than static checks.
    from bot.features.teaching import ignore_file

    return ignore_file.read(text, brief.today)
