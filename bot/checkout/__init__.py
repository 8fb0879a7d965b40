"""Reading a repository: the only runner of git. No work tree, no hooks, no filters, no submodules.

`locate` finds the repository by looking at files. Git then runs in a folder of our own that borrows the repository's objects
(`own_git_dir`), so that nothing the repository configures takes part. `pull` turns what the user typed into two object ids;
`Checkout` reads the trees behind them, with no network. `remote.fetch` is the one command that has it.
"""

from bot.checkout.local import clone, is_checked_out, origin_name, pull
from bot.checkout.locate import git_dir
from bot.checkout.tree import Checkout

__all__ = ["Checkout", "clone", "git_dir", "is_checked_out", "origin_name", "pull"]
