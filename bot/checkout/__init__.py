"""Read repositories. Only this package runs git, and never with hooks, filters or submodules.

`locate` finds a repository without running git. All git commands run in a folder of our own, which borrows
the repository's objects (`own_git_dir`), so nothing that the repository configures takes effect. `pull`
resolves what the user typed to two object IDs, and `Checkout` reads their trees. Only `remote` uses the
network.
"""

from bot.checkout.local import clone, is_checked_out, origin_name, pull
from bot.checkout.locate import git_dir
from bot.checkout.tree import Checkout

__all__ = ["Checkout", "clone", "git_dir", "is_checked_out", "origin_name", "pull"]
