"""What people say about a pull request, and which buttons they press: the other half of `Repo`."""

from deeprepo_sandbox.github import hooks, payloads
from deeprepo_sandbox.github.things import Check, Comment, Pull, Reaction, Repository, Review, ReviewComment
from deeprepo_sandbox.github.world import World

MAINTAINER, COLLEAGUE, STRANGER = "maintainer", "colleague", "stranger"


class Conversation:
    """The conversations of one repository. What returns, has been delivered to the Apps."""

    def __init__(self, world: World, repository: Repository) -> None:
        self._world, self.repository = world, repository

    async def comment(self, number: int, body: str, author: str = MAINTAINER) -> int:
        """Write in the conversation. The comment's id."""
        pull, now = self.repository.pulls[number], self._world.now()
        made = Comment(id=self._world.id(), user=self._world.user(author), body=body, created_at=now, updated_at=now)
        pull.comments.append(made)
        await hooks.on_comment(self._world, pull, made)
        return made.id

    async def reply(self, number: int, to: int, body: str, author: str = MAINTAINER) -> int:
        """Answer in a review thread. The comment's id."""
        pull = self.repository.pulls[number]
        top = next(one for one in pull.review_comments if one.id == to)
        return await self._note(pull, body, author, top.reply_to or top.id, top)

    async def review(self, number: int, body: str, author: str = MAINTAINER, state: str = "COMMENTED") -> int:
        """Hand a review in that has a text and no comments. The review's id."""
        pull = self.repository.pulls[number]
        made = self._review(pull, author, body, state)
        pull.reviews.append(made)
        await hooks.on_review(self._world, pull, made)
        return made.id

    async def review_comment(self, number: int, path: str, line: int, body: str, author: str = MAINTAINER) -> int:
        """Write on a line of the diff. The comment's id."""
        return await self._note(self.repository.pulls[number], body, author, None, (path, line))

    async def _note(
        self, pull: Pull, body: str, author: str, to: int | None, at: ReviewComment | tuple[str, int]
    ) -> int:
        world, now, who = self._world, self._world.now(), self._world.user(author)
        review = self._review(pull, author, "")
        path, line = (at.path, at.line) if isinstance(at, ReviewComment) else at
        made = ReviewComment(
            id=world.id(), user=who, body=body, created_at=now, updated_at=now, review=review.id, path=path, line=line,
            commit=at.commit if isinstance(at, ReviewComment) else pull.head_sha, reply_to=to,
            hunk=at.hunk if isinstance(at, ReviewComment) else "",
            subject=at.subject if isinstance(at, ReviewComment) else "line",
        )  # fmt: skip
        pull.reviews.append(review)
        pull.review_comments.append(made)
        await hooks.on_review(self._world, pull, review)
        await hooks.on_comment(self._world, pull, made)
        return made.id

    def _review(self, pull: Pull, author: str, body: str, state: str = "COMMENTED") -> Review:
        now, who = self._world.now(), self._world.user(author)
        commit = pull.head_sha
        return Review(
            id=self._world.id(), user=who, body=body, created_at=now, updated_at=now, state=state, commit=commit
        )

    async def edit_comment(self, number: int, comment: int, body: str) -> None:
        """Change what a person wrote."""
        pull = self.repository.pulls[number]
        one = next(one for one in self._own_comments(number) if one.id == comment)
        one.body, one.updated_at = body, self._world.now()
        await hooks.on_comment(self._world, pull, one, "edited")

    async def delete_comment(self, number: int, comment: int) -> None:
        """Take back what a person wrote."""
        pull = self.repository.pulls[number]
        one = next(one for one in (*pull.comments, *pull.review_comments) if one.id == comment)
        if isinstance(one, ReviewComment):
            pull.review_comments.remove(one)
        else:
            pull.comments.remove(one)
        await hooks.on_comment(self._world, pull, one, "deleted")

    def react(self, number: int, comment: int, content: str = "-1", author: str = MAINTAINER) -> None:
        """Put an emoji under a comment; no App is notified, as at GitHub. A login that ends in "[bot]" is an App's."""
        one = next(c for c in self._own_comments(number) if c.id == comment)
        who = self._world.user(author, "Bot" if author.endswith("[bot]") else "User")
        if not any(each.user is who and each.content == content for each in one.reactions):
            one.reactions.append(Reaction(self._world.id(), who, content, self._world.now()))

    def _own_comments(self, number: int) -> list[Comment]:
        pull = self.repository.pulls[number]
        return [*pull.comments, *pull.review_comments]

    def resolve(self, number: int, thread: int, is_resolved: bool = True) -> None:
        """Mark the thread of a review comment as resolved; no App is notified."""
        top = next(one for one in self.repository.pulls[number].review_comments if one.id == thread)
        top.is_resolved = is_resolved

    def show(self, number: int, comment: int) -> None:
        """Show a review comment again that was minimised; no App is notified."""
        next(one for one in self.repository.pulls[number].review_comments if one.id == comment).hide_reason = ""

    def lock(self, number: int, *, is_locked: bool = True) -> None:
        """Lock the conversation: only people who may write can still say something in it, and no App."""
        self.repository.pulls[number].is_locked = is_locked

    def begin_review(self, number: int, author: str) -> int:
        """Begin a review and hand it in later: nobody else sees it. Its id."""
        made = self._review(self.repository.pulls[number], author, "", "PENDING")
        self.repository.pulls[number].reviews.append(made)
        return made.id

    async def rerequest(self, check: int, by: str = MAINTAINER) -> None:
        """Press "Re-run" on a check run: it stays as it is, its suite is queued."""
        self.repository.queued_suites.add(self.repository.checks[check].suite)
        await self._press(self.repository.checks[check], "rerequested", by)

    async def press(self, check: int, identifier: str, by: str = MAINTAINER) -> None:
        """Press one of the buttons of a check run."""
        await self._press(self.repository.checks[check], "requested_action", by, identifier)

    async def rerequest_suite(self, check: int) -> None:
        """Press "Re-run all checks": the suite is queued until its App begins again."""
        one = self.repository.checks[check]
        self.repository.queued_suites.add(one.suite)
        facts, who = payloads.suite(self._world, self.repository, one), self._world.user(MAINTAINER)
        await hooks.send(self._world, self.repository, "check_suite", "rerequested", facts, who, only=one.app)

    async def _press(self, check: Check, action: str, by: str, identifier: str = "") -> None:
        facts = payloads.check(self._world, self.repository, check)
        if identifier:
            facts["requested_action"] = {"identifier": identifier}
        who = self._world.user(by)
        await hooks.send(self._world, self.repository, "check_run", action, facts, who, only=check.app)
