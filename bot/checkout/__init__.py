"""Reading a repository: the only runner of git. No work tree, no hooks, no filters, no submodules.

`pull` turns what the user typed into two object ids; `Checkout` reads the trees behind them, with no network. `remote.fetch` is
the one command that has it.
"""

from bot.checkout.local import pull
from bot.checkout.tree import Checkout

__all__ = ["Checkout", "pull"]
