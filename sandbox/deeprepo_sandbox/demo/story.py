"""What the people of the demo do once the review is there: they argue, one finding is withdrawn, and a rule is learned."""

from collections.abc import Callable

from deeprepo_sandbox.demo import model
from deeprepo_sandbox.github import GitHub, Repo
from deeprepo_sandbox.github.conversation import COLLEAGUE, MAINTAINER
from deeprepo_sandbox.github.things import Comment

PATIENCE = 60.0  # seconds for an answer
OBJECTION = "`quote` refuses a weight of zero or below: see the guard above."
REJECTION = "Won't fix: the carrier's client hands out one object for each status."
BY_CODE, LEAKED = (
    "`is` compares identity",
    "A GitHub token is committed",
)  # found by code: only such a finding suggests a rule
IGNORE = "/deeprepo ignore The token is revoked."
RULES = "/deeprepo rules"
TO_TRY = """What to try on the page:
- Read the summary from the top: what the change does, the place to look at first, the findings, a prompt for a coding agent.
- Look at the table of the repository's own checks: one has failed and stops the change, one is undecided, one does not apply.
- Look at finding 3: the line that breaks is in acme/storefront, a repository that takes this one's package. It was found by the manifests.
- Reply in a thread of a finding, or ask below: "Is this safe to merge, @deeprepo?"
- Press `/deeprepo rules`: the learning and the rule that the thread has led to are in force. Reply in the thread of another finding that code has made, as the maintainer: "Won't fix: it is meant so."
- Commit a suggestion: the next review counts the finding as accepted.
- Press `/deeprepo fix`: one commit by the bot, and the review that follows says what it fixed. Press "let it only read" on the right first, and the answer is a patch instead.
- Write `/deeprepo review` in the text box and submit it as a review: commands count there too.
- Be the stranger, who may only read, and try the same.
- With bubblewrap installed: unfold the test in the comment about remote regions. It was run on the head, the base and with the suggestion.
- Push the next commit: what it mends is closed. The request for changes is dismissed with it, because the token was ignored by a person who may.
- Open the operator's page and sign in with GitHub as the maintainer.
Press Ctrl-C to end the demo."""
Say = Callable[[str], None]


async def play(gh: GitHub, repo: Repo, number: int, say: Say) -> None:
    """A withdrawal with the learning that it proposes, the proposal of a rule, and both confirmed. Raises TimeoutError if the bot does not answer."""
    await repo.reply(number, _comment(gh, number, model.WRONG).id, OBJECTION, COLLEAGUE)
    say(f"reply      {COLLEAGUE}: {OBJECTION}")
    await _wait_for_answer(gh, number, f"Withdrawn: {model.WRONG}")
    say("answer     the finding is withdrawn")
    await repo.reply(number, _comment(gh, number, BY_CODE).id, REJECTION, COLLEAGUE)
    say(f"reply      {COLLEAGUE}: {REJECTION}")
    for name, proposal in (("learning", "Proposed learning 1"), ("rule", "Proposed rule 2")):
        await _wait_for_answer(gh, number, proposal)
        repo.react(number, _comment(gh, number, proposal).id, "+1", MAINTAINER)
        say(f"{name:10} proposed in the thread, confirmed by the 👍 of {MAINTAINER}")
    await repo.reply(number, _comment(gh, number, LEAKED).id, IGNORE, MAINTAINER)
    say(f"command    {IGNORE.rstrip('.')}: removing the line would not close it")
    await repo.comment(number, RULES, MAINTAINER)
    await _wait_for_answer(gh, number, f"in force: `{MAINTAINER}`")
    say(f"command    {RULES}: the rule is in force from the next review on")
    newest = max(gh.pull(number).checks, key=lambda one: one.id)
    say(f"now        {newest.title} What was withdrawn, ignored or silenced no longer counts.")


async def _wait_for_answer(gh: GitHub, number: int, words: str) -> None:
    """Wait until the bot has written this."""
    await gh.until(lambda: any(words in one.body for one in _ours(gh, number)), PATIENCE)


def _comment(gh: GitHub, number: int, words: str) -> Comment:
    return next(one for one in _ours(gh, number) if words in one.body)


def _ours(gh: GitHub, number: int) -> list[Comment]:
    """What the bot has written, on the lines first."""
    pull = gh.pull(number)
    return [one for one in (*pull.review_comments, *pull.comments) if one.user.login == gh.login]
