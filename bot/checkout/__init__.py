"""Read repositories. Only this package runs git, and never with hooks, filters or submodules.

All git commands run in a folder of our own, which borrows the repository's objects (`own_git_dir`), so nothing
that the repository configures takes effect. `pull` resolves what the user typed to two object IDs, and
`Checkout` reads their trees. Only `remote` uses the network.
"""

from bot.checkout.local import clone, explain_empty, is_checked_out, origin_name, pull, refuse_reviewed, typed_change
from bot.checkout.own_git_dir import git_dir
from bot.checkout.tree import Checkout

__all__ = [
    "Checkout", "clone", "explain_empty", "git_dir", "is_checked_out", "origin_name", "pull", "refuse_reviewed",
    "typed_change",
]  # fmt: skip
