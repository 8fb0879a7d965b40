"""The sandbox as its user holds it: where it listens, its App, what to let go wrong, what was asked and posted."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from copy import deepcopy
from datetime import timedelta
from functools import cache
from pathlib import Path

from deeprepo_sandbox.github import git, hooks, keys, payloads, validate
from deeprepo_sandbox.github.conversation import MAINTAINER
from deeprepo_sandbox.github.faults import Fault
from deeprepo_sandbox.github.repo import PEOPLE, Repo
from deeprepo_sandbox.github.server import Server
from deeprepo_sandbox.github.serving import serving
from deeprepo_sandbox.github.things import App, Delivery, Installation, Pull, SeenRequest, Token, User
from deeprepo_sandbox.github.world import HOUR, World, actions_app

PERMISSIONS = {
    "metadata": "read",
    "contents": "write",
    "pull_requests": "write",
    "issues": "write",
    "checks": "write",
    "merge_queues": "read",
}
EVENTS = (
    "pull_request",
    "issue_comment",
    "pull_request_review_comment",
    "pull_request_review",
    "check_run",
    "check_suite",
    "merge_group",
)


class GitHub:
    """One sandbox with one App, `deeprepo`, installed on every repository of the organisation `acme`."""

    def __init__(self, folder: Path, webhook: str | None, secret: str, *, check: bool) -> None:
        self.world = World(folder)
        self.app = Server(self.world, check=check)  # an ASGI application, for use without a port
        self.secret = secret
        private, public = _pair()
        account, app_id = self.world.user("acme", "Organization"), self.world.id()
        bot = self.world.user("deeprepo[bot]", "Bot")
        self._app = App(
            app_id, "deeprepo", "deeprepo", account, bot, public, private, secret, webhook,
            dict(PERMISSIONS), EVENTS, self.world.now(),
        )  # fmt: skip
        self.world.apps[app_id] = self._app
        self._home = self._install(account)

    def _install(self, account: User) -> Installation:
        home = Installation(self.world.id(), self._app, account, self.world.now())
        self.world.installations[home.id] = home
        return home

    @property
    def api(self) -> str:
        """The base URL of the REST API."""
        return self.world.api

    @property
    def app_id(self) -> str:
        """The App's id, as configuration takes it."""
        return str(self._app.id)

    @property
    def private_key(self) -> str:
        """The App's key, as PEM."""
        return self._app.private_key

    @property
    def client(self) -> tuple[str, str]:
        """The client id and the secret of its App."""
        return self._app.client_id, self._app.client_secret

    def callbacks(self, *addresses: str) -> None:
        """Where the App may send people back to after they have agreed."""
        self._app.callbacks = addresses

    def browse(self, login: str) -> None:
        """Who is signed in at this GitHub in the browser."""
        self.world.visitor = login

    @property
    def login(self) -> str:
        """The name under which the App writes."""
        return self._app.bot.login

    @property
    def installation(self) -> int:
        """The id of its installation."""
        return self._home.id

    @property
    def requests(self) -> tuple[SeenRequest, ...]:
        """Every request that has arrived, in order."""
        return tuple(self.world.requests)

    @property
    def deliveries(self) -> tuple[Delivery, ...]:
        """Every attempt to deliver a webhook, in order."""
        return tuple(self.world.deliveries)

    @property
    def violations(self) -> tuple[str, ...]:
        """What did not fit GitHub's description. A sandbox that cannot check reports it here, so that no test passes unseen."""
        missing = () if validate.able() else ("nothing was checked: jsonschema is not installed",)
        return (*missing, *self.world.violations)

    def listen(self, webhook: str | None) -> None:
        """Where deliveries go from now on."""
        self._app.webhook = webhook

    async def repository(
        self,
        owner: str,
        name: str,
        from_git: str | Path | None = None,
        *,
        files: Mapping[str, str] | None = None,
        private: bool = False,
    ) -> Repo:
        """A repository with the branches of one on disk, or with a first commit of these files. The App is installed on its owner."""
        made = await self.world.create(owner, name, Path(from_git) if from_git else None)
        made.private = private
        if not any(home.account is made.owner for home in self.world.installations.values()):
            self._install(made.owner)
        repo = Repo(self.world, made)
        for login, permission in PEOPLE.items():
            repo.add(login, permission)
        if not from_git:
            await git.commit(made.git, "main", None, files or {"README.md": f"# {name}\n"}, "First", MAINTAINER)
        return repo

    def repo(self, number: int, repository: str | None = None) -> Repo:
        """The repository that has a pull request. `repository` where several have one of this number."""
        rows = [one for one in self.world.repositories.values() if number in one.pulls]
        return Repo(self.world, next(one for one in rows if repository is None or one.full_name == repository))

    def pull(self, number: int, repository: str | None = None) -> Pull:
        """A pull request with its comments, reviews and checks as they are now: a copy. `repository` where there are several."""
        return deepcopy(self.repo(number, repository).repository.pulls[number])

    def page(self, number: int, repository: str | None = None) -> str:
        """Where a person looks at it."""
        return f"{self.world.origin}/{self.pull(number, repository).repository.full_name}/pull/{number}"

    def fail(self, method: str, pattern: str, fault: Fault) -> None:
        """Let something go wrong with the requests of this method (* for any) in whose path the pattern is found."""
        self.world.faults.add(method, pattern, fault)

    def pass_time(self, **amount: float) -> None:
        """Let hours or minutes go by at once: `pass_time(minutes=61)`."""
        self.world.pass_time(timedelta(**amount))

    def revoke_tokens(self) -> None:
        """Make every token that was given out worthless."""
        self.world.tokens.clear()

    def grant(self, **permissions: str) -> None:
        """Change what the App may do, as its owner can: `grant(contents="write")`."""
        self._app.permissions |= permissions

    def token(self, permissions: Mapping[str, str] | None = None, repositories: tuple[int, ...] | None = None) -> str:
        """A token of the installation, as the API would mint it."""
        chosen = frozenset(repositories) if repositories is not None else None
        return self.world.mint(self._home, dict(permissions or PERMISSIONS), chosen)[0]

    def personal_token(self, login: str) -> str:
        """A token of a person, good for whatever they may read."""
        world = self.world
        text = keys.token(0, 0, world.now())
        world.tokens[text] = Token(world.user(login), None, None, {}, None, world.now() + HOUR)
        return text

    def actions_token(self, repo: Repo, permissions: Mapping[str, str]) -> str:
        """What a workflow gets as GITHUB_TOKEN: good for one repository, writing as github-actions[bot]."""
        world = self.world
        owner = repo.repository.owner
        app = actions_app(world, owner)
        home = Installation(world.id(), app, owner, world.now(), {repo.id})
        world.installations[home.id] = home
        return world.mint(home, dict(permissions) | {"metadata": "read"}, frozenset({repo.id}))[0]

    async def install(self) -> None:
        """Tell the App that it was installed, as GitHub does once an owner has chosen the repositories."""
        facts = payloads.installation_event(self.world, self._home)
        await hooks.deliver(self.world, self._home, None, "installation", "created", facts, self._home.account)

    async def uninstall(self) -> None:
        """Remove the App from the account."""
        facts = payloads.installation_event(self.world, self._home)
        del self.world.installations[self._home.id]
        self.world.tokens.clear()
        await hooks.deliver(self.world, self._home, None, "installation", "deleted", facts, self._home.account)

    async def suspend(self, *, is_suspended: bool = True) -> None:
        """Suspend the installation, or lift that: meanwhile no token is made, none is good, and nothing is delivered."""
        self._home.suspended_at = self.world.now() if is_suspended else None
        facts = payloads.installation_event(self.world, self._home)
        action, who = "suspend" if is_suspended else "unsuspend", self._home.account
        await hooks.deliver(self.world, self._home, None, "installation", action, facts, who)

    async def withdraw(self, repo: Repo) -> None:
        """Take one repository away from the App."""
        held = {r.id for r in self.world.repositories.values() if self._home in self.world.installations_of(r)}
        self._home.chosen_repositories = held - {repo.id}
        facts = payloads.repositories_event(self.world, self._home, [], [repo.repository])
        who = self._home.account
        await hooks.deliver(self.world, self._home, None, "installation_repositories", "removed", facts, who)

    @contextmanager
    def holding(self) -> Iterator[list[Delivery]]:
        """Keep deliveries back: send them with `deliver`, in any order, as often as wanted, or never."""
        held: list[Delivery] = []
        self.world.held = held
        try:
            yield held
        finally:
            self.world.held = None

    async def deliver(self, delivery: Delivery) -> int:
        """Send a delivery that was held back, or one more time. The status of the answer."""
        return await hooks.hand_over(self.world, self._app, deepcopy(delivery))

    async def redeliver(self, delivery: Delivery) -> int:
        """What the button "Redeliver" does: the same GUID under a new id."""
        return await hooks.hand_over(self.world, self._app, hooks.again(self.world, delivery))

    async def until(self, holds: Callable[[], bool], seconds: float | None = 30.0) -> None:
        """Wait until something holds; it is looked at after every request. Raises TimeoutError.

        Without `seconds`, the caller limits the wait.
        """
        async with asyncio.timeout(seconds):
            while not holds():
                self.world.stirred.clear()
                await self.world.stirred.wait()

    async def settle(self) -> None:
        """Wait until every webhook that is under way has been answered."""
        await self.world.settle()


@asynccontextmanager
async def github(
    folder: str | Path,
    *,
    webhook: str | None = None,
    secret: str = "a secret of the sandbox",  # noqa: S107 - of a server on loopback that lives for minutes
    port: int = 0,
    check: bool = True,
) -> AsyncIterator[GitHub]:
    """A GitHub on a free port of 127.0.0.1 until the block ends. `check` holds all that is exchanged against the description."""
    made = GitHub(Path(folder), webhook, secret, check=check)
    try:
        async with serving(made.app, port) as made.world.origin:
            try:
                yield made
            finally:
                await made.world.end()
    finally:  # the server's end cuts off answers too
        await made.world.finished()


@cache
def _pair() -> tuple[str, str]:
    """One key for all sandboxes of a process: making one takes a while."""
    return keys.pair()
