"""Everything this GitHub knows, and its clock. One per sandbox; nothing here speaks HTTP."""

import asyncio
import secrets
import ssl
from collections.abc import Coroutine, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import httpx2

from deeprepo_sandbox.github import git, keys
from deeprepo_sandbox.github.faults import Faults
from deeprepo_sandbox.github.things import (
    App,
    Comment,
    Delivery,
    Files,
    Installation,
    Permission,
    Pull,
    Repository,
    Review,
    ReviewComment,
    SeenRequest,
    Token,
    User,
)

HOUR = timedelta(hours=1)
ACTIONS = 15368  # the App whose token a workflow gets
LIMIT = 5000  # requests of one installation in an hour
PREFIX = {Comment: "IC_", ReviewComment: "PRRC_", Review: "PRR_"}


class World:
    """The database of the sandbox."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.origin = ""  # http://127.0.0.1:port, once it listens
        self.users: dict[str, User] = {}
        self.apps: dict[int, App] = {}
        self.installations: dict[int, Installation] = {}
        self.repositories: dict[int, Repository] = {}
        self.tokens: dict[str, Token] = {}
        self.offers: list[
            tuple[int, str, Files]
        ] = []  # commits that a page can push: id of the pull request, message, files
        self.commands: tuple[str, ...] = ()  # comments that a page offers as buttons
        self.notices: tuple[str, ...] = ()  # what every page of a pull request says first
        self.links: tuple[tuple[str, str], ...] = ()  # words and addresses beside a pull request
        self.visitor = ""  # who is signed in at this GitHub in the browser
        self.former_names: dict[str, int] = {}  # later ones than the first: "owner/name" and the repository's id
        self.manifests: dict[str, int] = {}  # codes of the manifest flow: App ids
        self.deliveries: list[Delivery] = []
        self.requests: list[SeenRequest] = []
        self.violations: list[str] = []
        self.faults = Faults()
        self.remaining = LIMIT
        self.reset = datetime.now(UTC) + HOUR
        self.stirred = asyncio.Event()  # something was asked: whoever waits for a change looks again
        self.busy: set[asyncio.Task[object]] = set()  # deliveries under way
        self.finishing: set[asyncio.Task[object]] = set()  # git processes that are being ended
        self.held: list[Delivery] | None = None  # deliveries that wait for a test to send them
        self._client: httpx2.AsyncClient | None = None
        self._ids = count(1_000_001)
        self._skew = timedelta()

    @property
    def client(self) -> httpx2.AsyncClient:
        """What webhooks are sent with: made once, with a new connection each time, as a receiver may have been restarted."""
        if self._client is None:
            plain = ssl.SSLContext(
                ssl.PROTOCOL_TLS_CLIENT
            )  # to read the machine's authorities takes longer than a test
            self._client = httpx2.AsyncClient(
                limits=httpx2.Limits(max_keepalive_connections=0), trust_env=False, verify=plain
            )
        return self._client

    async def end(self) -> None:
        """Give up what is still under way."""
        for task in tuple(self.busy):
            task.cancel()
        await asyncio.gather(*self.busy, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()

    @property
    def api(self) -> str:
        """The address of the REST API, as on a GitHub of one's own."""
        return f"{self.origin}/api/v3"

    def now(self) -> datetime:
        """The time here: the machine's, moved by the argument of `pass_time`."""
        return datetime.now(UTC) + self._skew

    def pass_time(self, amount: timedelta) -> None:
        """Let time go by at once."""
        self._skew += amount

    def spend(self) -> bool:
        """Count a request against the hourly limit; whether there was room for it."""
        if self.now() >= self.reset:
            self.remaining, self.reset = LIMIT, self.now() + HOUR
        self.remaining -= 1
        if self.remaining >= 0:
            return True
        self.remaining = 0
        return False

    def id(self) -> int:
        """A number that nothing else has."""
        return next(self._ids)

    def register(
        self,
        name: str,
        webhook: str,
        permissions: dict[str, str],
        events: tuple[str, ...],
        callbacks: tuple[str, ...] = (),
    ) -> App:
        """A new App with a key of its own, as the manifest flow makes it."""
        slug = "-".join(name.lower().split())
        private, public = keys.pair()
        owner = next(iter(self.users.values()))
        bot = self.user(f"{slug}[bot]", "Bot")
        made = App(
            self.id(),
            slug,
            name,
            owner,
            bot,
            public,
            private,
            secrets.token_hex(20),
            webhook,
            permissions,
            events,
            self.now(),
            callbacks,
        )
        self.apps[made.id] = made
        return made

    def user(self, login: str, kind: str = "User") -> User:
        """Somebody by name, known from now on."""
        if login not in self.users:
            known = next((t for t in ("Bot", "Organization") if t == kind), "User")
            self.users[login] = User(self.id(), login, known)  # type: ignore[arg-type]
        return self.users[login]

    def repository(self, owner: str, name: str) -> Repository | None:
        """A repository by its address, in any case of letters, unless it was deleted."""
        wanted = f"{owner}/{name}".lower()
        living = (found for found in self.repositories.values() if not found.is_deleted)
        return next((found for found in living if found.full_name.lower() == wanted), None)

    def moved(self, owner: str, name: str) -> Repository | None:
        """The repository that had this address once, unless another one has it now."""
        address = f"{owner}/{name}".lower()
        first = {f"{one.git.parent.name}/{one.git.stem}".lower(): one.id for one in self.repositories.values()}
        former = self.repositories.get(self.former_names.get(address, first.get(address, 0)))
        is_gone = former is None or former.is_deleted or self.repository(owner, name) is not None
        return None if is_gone else former

    async def create(self, owner: str, name: str, source: Path | None, parent: Repository | None = None) -> Repository:
        """A new repository with the branches of a git repository on disk."""
        folder = self.folder / owner / f"{name}.git"
        if folder.exists():  # of a repository that had this name before
            folder = folder.with_name(f"{name}-{self.id()}.git")
        default = await git.clone(source, folder)
        account = self.user(owner, "User" if parent else "Organization")
        made = Repository(self.id(), account, name, folder, self.now(), default_branch=default, parent=parent)
        self.repositories[made.id] = made
        return made

    def permission(self, login: str, repository: Repository) -> Permission:
        """What a person may do with a repository; everybody may read a public one."""
        if login == repository.owner.login:
            return "admin"
        return repository.people.get(login, "none" if repository.private else "read")

    def mint(
        self, home: Installation, permissions: dict[str, str], repositories: frozenset[int] | None = None
    ) -> tuple[str, Token]:
        """A token of an installation, good for an hour."""
        made = Token(home.app.bot, home.app, home, permissions, repositories, self.now() + HOUR)
        text = keys.token(home.app.id, home.id, made.expires)
        self.tokens[text] = made
        return text, made

    def installations_of(self, repository: Repository) -> Iterator[Installation]:
        """The installations that have this repository."""
        for found in self.installations.values():
            if found.account is repository.owner and (
                found.chosen_repositories is None or repository.id in found.chosen_repositories
            ):
                yield found

    def pulls(self) -> Iterator[Pull]:
        """Every pull request, of deleted repositories too."""
        for repository in self.repositories.values():
            yield from repository.pulls.values()

    def comments(self) -> Iterator[tuple[Pull, Comment]]:
        """Everything that is in a conversation, and where."""
        for pull in self.pulls():
            for comment in (*pull.comments, *pull.review_comments, *pull.reviews):
                yield pull, comment

    def node(self, node: str) -> tuple[Pull, Comment] | None:
        """A comment or review by its GraphQL id."""
        return next(((pull, found) for pull, found in self.comments() if node_id(found) == node), None)

    @property
    def has_listeners(self) -> bool:
        """Whether anybody listens to what happens here."""
        return self.held is not None or any(app.webhook for app in self.apps.values())

    def begin(self, work: Coroutine[Any, Any, object]) -> None:
        """Let something go on beside the answer, as webhooks do."""
        _keep(work, self.busy)

    def finish(self, work: Coroutine[Any, Any, object]) -> None:
        """Finish work that its caller no longer waits for. The sandbox waits for it before it stops."""
        _keep(work, self.finishing)

    async def finished(self) -> None:
        """Wait until everything that is being ended has ended."""
        await asyncio.gather(*self.finishing, return_exceptions=True)

    async def settle(self) -> None:
        """Wait until every webhook that is under way has been answered."""
        while self.busy:
            await asyncio.wait(tuple(self.busy))
            await asyncio.sleep(0)  # those that have ended leave `busy` in the next turn of the loop


def _keep(work: Coroutine[Any, Any, object], tasks: set[asyncio.Task[object]]) -> None:
    task = asyncio.get_running_loop().create_task(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)


def node_id(comment: Comment) -> str:
    """The GraphQL id of something written."""
    return f"{PREFIX[type(comment)]}kwDO{comment.id}"


def actions_app(world: World, owner: User) -> App:
    """The App of GitHub Actions: it makes the tokens of workflows and the check runs of their jobs."""
    bot = world.user("github-actions[bot]", "Bot")
    made = App(ACTIONS, "github-actions", "GitHub Actions", owner, bot, "", "", "", None, {}, (), world.now())
    return world.apps.setdefault(ACTIONS, made)
