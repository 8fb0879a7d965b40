"""Read a repository. Only this package runs git, without work tree, hooks, filters and submodules.

`locate` finds the repository by looking at files. Git then runs in our own folder, which borrows the
repository's objects (`own_git_dir`), so nothing that the repository configures takes effect. `pull` resolves
what the user typed to two object ids. `Checkout` reads their trees without network access; only
`remote.fetch` uses the network.
"""

from bot.checkout.local import clone, is_checked_out, origin_name, pull
from bot.checkout.locate import git_dir
from bot.checkout.tree import Checkout

__all__ = ["Checkout", "clone", "git_dir", "is_checked_out", "origin_name", "pull"]
