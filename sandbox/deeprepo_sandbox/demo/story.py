"""Play the demo's conversation after the review: a finding is withdrawn, and another is ignored."""

from collections.abc import Callable

from deeprepo_sandbox.demo import model
from deeprepo_sandbox.github import GitHub, Repo
from deeprepo_sandbox.github.conversation import COLLEAGUE, MAINTAINER
from deeprepo_sandbox.github.things import Comment

PATIENCE = 60.0  # seconds for an answer
CLOSED = 2  # findings that the conversation withdraws and ignores
OBJECTION = "`quote` already rejects a weight of zero or less. See the guard above."
LEAKED = "A GitHub token is committed"
IGNORE = "/deeprepo ignore The token is revoked."
TO_TRY_BY_CODE = """Things to try on the page (without a model, so only static checks ran):
- Read the summary from the top. It says what the change does, where to start, what was found, and offers a prompt for a coding agent.
- Look at finding 1. The line that breaks is in acme/storefront, another repository that uses this package.
- Reply `/deeprepo ignore this is intended` to a finding, as the maintainer.
- Press `/deeprepo fix`. The bot says which findings have an automatic fix.
- Switch to the stranger, who only has read access, and try the same things.
- Push the next commit. The bot closes the findings that the commit fixes.
- Open the operator's page and sign in with GitHub as the maintainer.
To also see conversations, learnings and the repository's own checks, run `deeprepo demo` without --effort.
Press Ctrl-C to end the demo."""
TO_TRY = """Things to try on the page:
- Read the summary from the top. It says what the change does, where to start, what was found, and offers a prompt for a coding agent.
- Look at the table of the repository's own checks. One failed and blocks the change, one is undecided, and one does not apply.
- Look at finding 3. The line that breaks is in acme/storefront, another repository that uses this package.
- Reply in a finding's thread, or ask below: "Is this safe to merge, @deeprepo?"
- Write `/deeprepo remember in parcel/** ` and a sentence, as the maintainer. Press `/deeprepo rules` to see it.
- Commit a suggestion. The next review shows the finding as fixed.
- Press `/deeprepo fix`. The bot makes one commit, and the next review says what it fixed. If you press "let it only read" on the right first, you get a patch instead.
- Write `/deeprepo review` in the text box and submit it as a review. Commands work there too.
- Switch to the stranger, who only has read access, and try the same things.
- Push the next commit. The bot closes the findings that the commit fixes, and dismisses its own request for changes.
- Open the operator's page and sign in with GitHub as the maintainer.
Press Ctrl-C to end the demo."""
Say = Callable[[str], None]


async def play(gh: GitHub, repo: Repo, number: int, say: Say) -> None:
    """Object to a finding and ignore another. Raises TimeoutError if the bot does not answer."""
    found = _count(gh, number)
    await repo.reply(number, _comment(gh, number, model.WRONG).id, OBJECTION, COLLEAGUE)
    say(f"reply      {COLLEAGUE}: {OBJECTION}")
    await _wait_for_answer(gh, number, f"Withdrawn: {model.WRONG}")
    say("answer     the bot withdraws the finding")
    await repo.reply(number, _comment(gh, number, LEAKED).id, IGNORE, MAINTAINER)
    say(f"command    {IGNORE}")
    say(
        "           (needed because deleting a leaked token does not close its finding: somebody may have copied the token)"
    )
    left = found - CLOSED
    await gh.until(lambda: _count(gh, number) == left, PATIENCE)
    say(f"result     {_newest(gh, number)} The withdrawn and ignored findings no longer count.")


def _newest(gh: GitHub, number: int) -> str:
    """Return the title of the newest check run, such as "8 findings (5 high, 3 medium)."."""
    return max(gh.pull(number).checks, key=lambda one: one.id).title or ""


def _count(gh: GitHub, number: int) -> int:
    """Return how many findings the newest check run counts."""
    first = _newest(gh, number).partition(" ")[0]
    return int(first) if first.isdecimal() else 0


async def _wait_for_answer(gh: GitHub, number: int, words: str) -> None:
    """Wait until the bot has written this."""
    await gh.until(lambda: any(words in one.body for one in _ours(gh, number)), PATIENCE)


def _comment(gh: GitHub, number: int, words: str) -> Comment:
    return next(one for one in _ours(gh, number) if words in one.body)


def _ours(gh: GitHub, number: int) -> list[Comment]:
    """Return the bot's comments, those on lines first."""
    pull = gh.pull(number)
    return [one for one in (*pull.review_comments, *pull.comments) if one.user.login == gh.login]
