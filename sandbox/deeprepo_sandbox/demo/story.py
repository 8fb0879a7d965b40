"""What the people of the demo do once the review is there: they argue, one finding is withdrawn, and a rule is learned."""

from collections.abc import Awaitable, Callable

from deeprepo_sandbox.demo import model
from deeprepo_sandbox.github import GitHub, Repo
from deeprepo_sandbox.github.conversation import COLLEAGUE, MAINTAINER
from deeprepo_sandbox.github.things import Comment

PATIENCE = 60.0  # seconds for an answer
OBJECTION = "`quote` refuses a weight of zero or below: see the guard above."
REJECTION = "Won't fix: prices are checked against the tariff when they are loaded."
RULES = "/deeprepo rules"
TO_TRY = """What to try on the page:
- Read the summary from the top: what the change does, the place to look at first, the findings, a prompt for a coding agent.
- Reply in a thread of a finding, or ask below: "Is this safe to merge, @deeprepo?"
- Put 👎 on the comment of a finding, then press `/deeprepo rules`: a rule is proposed. 👍 on it, and it is in force.
- Commit a suggestion: the next review counts the finding as accepted.
- Write `/deeprepo review` in the text box and submit it as a review: commands count there too.
- Be the stranger, who may only read, and try the same.
- Push the next commit: what it mends is closed, and the request for changes is dismissed.
- Open the operator's page and sign in with GitHub as the maintainer.
Press Ctrl-C to end the demo."""
Say = Callable[[str], None]


async def play(gh: GitHub, repo: Repo, number: int, say: Say) -> None:
    """A withdrawal, the proposal of a rule, and its confirmation. Raises TimeoutError."""
    told = await _answered(gh, number, repo.reply(number, _top(gh, number, model.WRONG), OBJECTION, COLLEAGUE))
    say(f"reply      {COLLEAGUE}: {OBJECTION}")
    say("answer     the finding is withdrawn" if "ithdrawn" in told.body else "answer     the finding stands")
    told = await _answered(gh, number, repo.reply(number, _top(gh, number, model.UNTESTED), REJECTION, COLLEAGUE))
    say(f"reply      {COLLEAGUE}: {REJECTION}")
    repo.react(number, told.id, "+1", MAINTAINER)
    say(f"rule       proposed in the thread, confirmed by the 👍 of {MAINTAINER}")
    await _answered(gh, number, repo.comment(number, RULES, MAINTAINER))
    say(f"command    {RULES}: the rule is in force from the next review on")


def _top(gh: GitHub, number: int, title: str) -> int:
    """The thread of a finding."""
    return next(one.id for one in gh.pull(number).review_comments if title in one.body)


async def _answered(gh: GitHub, number: int, writing: Awaitable[object]) -> Comment:
    """What the bot writes next."""
    known = {one.id for one in _ours(gh, number)}
    await writing
    await gh.until(lambda: any(one.id not in known for one in _ours(gh, number)), PATIENCE)
    return next(one for one in _ours(gh, number) if one.id not in known)


def _ours(gh: GitHub, number: int) -> list[Comment]:
    pull = gh.pull(number)
    return [one for one in (*pull.comments, *pull.review_comments) if one.user.login == gh.login]
