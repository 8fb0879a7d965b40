"""What people do with a repository: push, open, comment, close. The Apps hear of it by webhook, as from GitHub."""

from pathlib import Path

from deeprepo_sandbox.github import git, hooks, payloads
from deeprepo_sandbox.github.bodies.pulls import label
from deeprepo_sandbox.github.conversation import COLLEAGUE, MAINTAINER, STRANGER, Conversation
from deeprepo_sandbox.github.things import Files, Permission, Pull, Repository, User

PEOPLE: dict[str, Permission] = {MAINTAINER: "write", COLLEAGUE: "write", STRANGER: "read"}


class Repo(Conversation):
    """One repository of the sandbox, as its people use it. What returns, has been delivered to the Apps."""

    @property
    def id(self) -> int:
        """The id, which survives a rename."""
        return self.repository.id

    @property
    def installation(self) -> int:
        """The installation of the App that has it."""
        return next(self._world.installations_of(self.repository)).id

    @property
    def url(self) -> str:
        """Where git finds it."""
        return f"{self._world.origin}/{self.repository.full_name}.git"

    def add(self, login: str, permission: Permission) -> None:
        """Give somebody a permission."""
        self._world.user(login)
        self.repository.people[login] = permission

    def hide_membership(self, login: str) -> None:
        """Make somebody's membership of the organization private, as it is by default at GitHub: no delivery calls them a member."""
        self.repository.private_members.add(login)

    async def commit(self, branch: str, files: Files, message: str = "Change", *, onto: str | None = None) -> str:
        """Put a commit on a branch, a new one too, upon its tip or `onto`; nobody is notified. Its id."""
        where = self.repository
        parent = await git.tip(where.git, onto or branch) or await git.tip(where.git, where.default_branch)
        return await git.commit(where.git, branch, parent, files, message, COLLEAGUE)

    def open_issue(self, title: str, body: str = "") -> int:
        """Open an issue; nobody is notified."""
        number = len(self.repository.pulls) + len(self.repository.issues) + 1
        self.repository.issues[number] = (title, body)
        return number

    async def open_pull(
        self,
        head: str,
        base: str | None = None,
        title: str = "A change",
        body: str | None = None,
        *,
        draft: bool = False,
        fork: bool = False,
        author: str | None = None,
        labels: tuple[str, ...] = (),
    ) -> int:
        """Open a pull request from a branch of the repository; with `fork` the branch is moved to a fork of the author."""
        world, where = self._world, self.repository
        who = world.user(author or (STRANGER if fork else COLLEAGUE))
        source = await self._fork(who, head) if fork else where
        base = base or where.default_branch
        number, now = len(where.pulls) + len(where.issues) + 1, world.now()
        sha = await self._tip(source, head)
        await self._show(number, source, head, sha)
        pull = Pull(
            id=world.id() * 2,  # its id as an issue is the next number
            number=number,
            repository=where,
            title=title,
            body=body,
            author=who,
            base=base,
            base_sha=await self._tip(where, base),
            head=head,
            head_sha=sha,
            source=source,
            created_at=now,
            updated_at=now,
            draft=draft,
            labels=list(labels),
        )
        where.pulls[number] = pull
        await self._tell(pull, "opened", who)
        return number

    async def push(
        self, branch: str, files: Files | Path, message: str = "Another change", *, author: str = COLLEAGUE
    ) -> str:
        """Push a commit, or the branch of the same name in a git repository on disk. The new head."""
        return await self._push(branch, files, message, author, force=False)

    def offer(self, number: int, files: Files, message: str) -> None:
        """Lay a commit ready: the page of the pull request shows a button that pushes it."""
        self._world.offers.append((self.repository.pulls[number].id, message, files))

    async def take_offer(self, number: int) -> None:
        """Push the next commit that lies ready, if there is one."""
        pull = self.repository.pulls[number]
        ready = [offer for offer in self._world.offers if offer[0] == pull.id]
        if ready:
            self._world.offers.remove(ready[0])
            await self.push(pull.head, ready[0][2], ready[0][1])

    async def force_push(self, branch: str, files: Files) -> str:
        """Replace the last commit of a branch by another one."""
        return await self._push(branch, files, "Rewritten", COLLEAGUE, force=True)

    async def _push(self, branch: str, files: Files | Path, message: str, author: str, *, force: bool) -> str:
        open_here = [p for p in self.repository.pulls.values() if p.head == branch and p.state == "open"]
        source = open_here[0].source if open_here else self.repository
        before = await self._tip(source, branch)
        if isinstance(files, Path):
            await git.fetch(source.git, files, f"+refs/heads/{branch}:refs/heads/{branch}")
            made = await self._tip(source, branch)
        else:
            parent = await git.tip(source.git, f"{before}^") if force else before
            made = await git.commit(source.git, branch, parent, files, message, author)
        for pull in open_here:
            await self._synchronize(pull, before, made, self._world.user(author))
        if not open_here:
            facts = payloads.push(self._world, source, branch, before, made)
            await hooks.send(self._world, source, "push", None, facts, self._world.user(author))
        return made

    async def point(self, branch: str, sha: str, who: User) -> None:
        """Make a branch mean a commit that is there already, as a push by git's data does."""
        before = await self._tip(self.repository, branch)
        await git.point(self.repository.git, f"refs/heads/{branch}", sha)
        for pull in self.repository.pulls.values():
            if pull.head == branch and pull.state == "open" and pull.source is self.repository:
                await self._synchronize(pull, before, sha, who)

    def protect(self, branch: str, *, is_protected: bool) -> None:
        """Let nobody push to a branch directly, or everybody who may write again."""
        self.repository.protected_branches.discard(branch)
        if is_protected:
            self.repository.protected_branches.add(branch)

    def rule(self, branch: str, says: str = "Changes must be made through a pull request.") -> None:
        """Hold a branch by a ruleset: nobody points it elsewhere, and GitHub answers with the rule's sentence."""
        self.repository.rules[branch] = says

    async def rename(self, name: str) -> None:
        """Give the repository another name: its former one redirects."""
        await self._move(self.repository.owner, name)

    async def transfer(self, owner: str) -> None:
        """Give the repository to another account: its former address redirects, and the App sees it if it is installed there."""
        await self._move(self._world.user(owner, "Organization"), self.repository.name)

    async def _move(self, owner: User, name: str) -> None:
        world, where, old = self._world, self.repository, self.repository.name
        world.former_names[where.full_name.lower()] = where.id
        where.owner, where.name = owner, name
        action, facts = ("transferred", {}) if old == name else ("renamed", {"repository": {"name": {"from": old}}})
        await hooks.send(world, where, "repository", action, {"changes": facts}, owner)

    @property
    def app_permissions(self) -> dict[str, str]:
        """What the App may do here, as its owner can change it."""
        return next(self._world.installations_of(self.repository)).app.permissions

    async def _synchronize(self, pull: Pull, before: str, after: str, who: User) -> None:
        await self._show(pull.number, pull.source, pull.head, after)
        pull.head_sha, pull.updated_at = after, self._world.now()
        pull.push_times[after] = pull.updated_at
        pull.base_sha = await self._tip(pull.repository, pull.base)
        await self._tell(pull, "synchronize", who, before=before, after=after)

    async def close(
        self, number: int, *, merge: bool = False, delete_branch: bool = False, by: str = MAINTAINER
    ) -> None:
        """Close a pull request, or merge it. If its branch is deleted then, those that are stacked on it get its base, as at GitHub."""
        pull, who = self.repository.pulls[number], self._world.user(by)
        pull.state, pull.is_merged, pull.closed_at = "closed", merge, self._world.now()
        if merge:
            await git.point(self.repository.git, f"refs/heads/{pull.base}", pull.head_sha)
        await self._tell(pull, "closed", who)
        if merge and delete_branch:
            for one in self.repository.pulls.values():
                if one.state == "open" and one.base == pull.head:
                    await self.retarget(one.number, pull.base, by=by)
            await git.point(self.repository.git, f"refs/heads/{pull.head}", None)

    async def reopen(self, number: int, *, by: str = MAINTAINER) -> None:
        """Open it again."""
        pull = self.repository.pulls[number]
        pull.state, pull.closed_at = "open", None
        await self._tell(pull, "reopened", self._world.user(by))

    async def set_draft(self, number: int, draft: bool, *, by: str = COLLEAGUE) -> None:
        """Make it a draft, or ready for review."""
        pull = self.repository.pulls[number]
        pull.draft = draft
        await self._tell(pull, "converted_to_draft" if draft else "ready_for_review", self._world.user(by))

    async def add_label(self, number: int, name: str) -> None:
        """Put a label on it."""
        pull, who = self.repository.pulls[number], self._world.user(MAINTAINER)
        pull.labels.append(name)
        await self._tell(pull, "labeled", who, label=label(self._world, self.repository, name))

    async def remove_label(self, number: int, name: str) -> None:
        """Take a label off it."""
        pull, who = self.repository.pulls[number], self._world.user(MAINTAINER)
        pull.labels.remove(name)
        await self._tell(pull, "unlabeled", who, label=label(self._world, self.repository, name))

    async def retarget(self, number: int, base: str, *, by: str = MAINTAINER) -> None:
        """Change the base branch."""
        pull = self.repository.pulls[number]
        old = {"base": {"ref": {"from": pull.base}, "sha": {"from": pull.base_sha}}}
        pull.base, pull.base_sha = base, await self._tip(self.repository, base)
        await self._tell(pull, "edited", self._world.user(by), changes=old)

    async def edit(self, number: int, *, title: str) -> None:
        """Change the title."""
        pull = self.repository.pulls[number]
        old, pull.title = pull.title, title
        await self._tell(pull, "edited", self._world.user(COLLEAGUE), changes={"title": {"from": old}})

    async def merge_group(self, head: str, base: str, number: int) -> None:
        """Put a commit into the merge queue, for a pull request."""
        facts = payloads.merge_group(self._world, self.repository, head, base, number)
        who = self._world.user(MAINTAINER)
        await hooks.send(self._world, self.repository, "merge_group", "checks_requested", facts, who)

    def delete(self) -> None:
        """Delete the repository: everything under it is 404 from now on."""
        self.repository.is_deleted = True

    async def _fork(self, who: User, branch: str) -> Repository:
        world, where = self._world, self.repository
        fork = world.repository(who.login, where.name) or await world.create(who.login, where.name, where.git, where)
        await git.fetch(fork.git, where.git, f"+refs/heads/{branch}:refs/heads/{branch}")
        await git.point(where.git, f"refs/heads/{branch}", None)
        return fork

    async def _show(self, number: int, source: Repository, branch: str, sha: str) -> None:
        """The head of a pull request is a ref of the base repository, where git finds it whatever becomes of the fork."""
        where, ref = self.repository, f"refs/pull/{number}/head"
        if source is where:
            await git.point(where.git, ref, sha)
        else:
            await git.fetch(where.git, source.git, f"+refs/heads/{branch}:{ref}")

    async def _tip(self, where: Repository, branch: str) -> str:
        sha = await git.tip(where.git, branch)
        if sha is None:
            raise ValueError(f"{where.full_name} has no branch {branch}")
        return sha

    async def _tell(self, pull: Pull, action: str, who: User, **extra: object) -> None:
        if not self._world.has_listeners:
            return
        facts = await payloads.pull(self._world, pull, **extra)
        await hooks.send(self._world, self.repository, "pull_request", action, facts, who)
