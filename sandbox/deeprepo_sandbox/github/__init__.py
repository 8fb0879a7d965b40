"""A GitHub on loopback: REST, GraphQL, git, webhooks and pages, in front of real git repositories.

    async with sandbox.github(folder, webhook="http://127.0.0.1:8000/webhook", secret="...") as gh:
        repo = await gh.repository("acme", "shop", from_git=path)
        number = await repo.open_pull("feature", title="A change")
        gh.fail("POST", r"/reviews$", sandbox.Fault(status=502, after=True))
        gh.pull(number).comments

It keeps GitHub's rules, refuses as GitHub refuses, and writes into `gh.violations` every request and every answer of its
own that does not fit GitHub's published description.
"""

from deeprepo_sandbox.github.conversation import COLLEAGUE, MAINTAINER, STRANGER
from deeprepo_sandbox.github.faults import Fault, primary, secondary
from deeprepo_sandbox.github.github import GitHub, github
from deeprepo_sandbox.github.repo import Repo
from deeprepo_sandbox.github.things import TreeEntry

__all__ = [
    "COLLEAGUE",
    "MAINTAINER",
    "STRANGER",
    "Fault",
    "GitHub",
    "Repo",
    "TreeEntry",
    "github",
    "primary",
    "secondary",
]
