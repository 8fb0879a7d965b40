"""A server with a sandbox GitHub, reviews in two installations, and people who sign in."""

import html
import re
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
from serving import SECRET, Served, served, settings
from waits import patience

from bot.app import operator
from bot.app.server import Work
from bot.config.server import Server
from bot.storage import Failure, FinishedReview, StoredFinding
from bot.values import PullRef, ReviewJob
from bot.workflow.jobs import records
from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.github import Repo

HOSTILE = "<script>alert(1)</script> & \u202e\u200b\"'"
FOUND = StoredFinding("f1", "new", "high", "logic", "worker", "a.py", "Wrong sign")


@dataclass
class Visit:
    """The server, its GitHub, and its visitors' browsers."""

    gh: sandbox.GitHub
    server: Served
    given: Server
    shop: Repo  # owned by acme
    grid: Repo  # owned by globex
    stack: AsyncExitStack
    browsers: dict[str, httpx2.AsyncClient] = field(default_factory=dict)

    @property
    def base(self) -> str:
        """Return the server's address."""
        return str(self.server.http.base_url).rstrip("/")

    async def browser(self, name: str) -> httpx2.AsyncClient:
        """Return a person's browser, which keeps cookies but follows no redirects."""
        if name not in self.browsers:
            made = httpx2.AsyncClient(base_url=self.base, trust_env=False, timeout=patience())
            self.browsers[name] = await self.stack.enter_async_context(made)
        return self.browsers[name]

    async def leave(self, login: str, path: str = "/signin/github") -> str:
        """Go to GitHub, agree there, and return the address to come back to."""
        http = await self.browser(login)
        away = (await http.get(path)).headers["location"]
        self.gh.browse(login)
        page = await http.get(away)
        if page.status_code == 302:
            return page.headers["location"]
        asked = {name: values[0] for name, values in parse_qs(urlsplit(away).query).items()} | {"login": login}
        agreed = await http.post(f"{self.gh.world.origin}/login/oauth/authorize", data=asked)
        assert agreed.status_code == 302, agreed.text
        return agreed.headers["location"]

    async def sign_in(self, login: str) -> httpx2.Response:
        """Sign in with GitHub."""
        back = await self.leave(login)
        return await (await self.browser(login)).get(back)

    async def operator(self) -> httpx2.AsyncClient:
        """Return the browser of the operator, signed in with the link from the log."""
        http = await self.browser("operator")
        token = parse_qs(urlsplit(operator.link(self.given, self.base)).query)["token"][0]
        assert (await http.post("/signin", data={"token": token})).status_code == 303
        return http


@asynccontextmanager
async def visit(folder: Path, work: Work | None = None, **options: object) -> AsyncIterator[Visit]:
    """Start a server. Acme's admins: ann and bob (mia is a member). Globex's: bob. sam has no role."""
    async with AsyncExitStack() as stack:
        gh = await stack.enter_async_context(sandbox.github(folder / "github", secret=SECRET))
        shop = await gh.repository("acme", "shop", private=True)
        grid = await gh.repository("globex", "grid", private=True)
        for login, repo, level in (
            ("ann", shop, "admin"),
            ("bob", shop, "admin"),
            ("mia", shop, "write"),
            ("bob", grid, "admin"),
        ):
            repo.add(login, level)  # type: ignore[arg-type]
        gh.world.user("sam")
        client, secret = gh.client
        held = {"app_id": gh.app_id, "private_key": gh.private_key, "client_id": client, "client_secret": secret}
        given = settings(folder / "data", github_api=gh.api, **held, **options)
        server = await stack.enter_async_context(served(given, work))
        made = Visit(gh, server, given, shop, grid, stack)
        gh.callbacks(f"{made.base}/signin/done")
        yield made
        assert gh.violations == ()


async def stored(visit: Visit) -> dict[str, str]:
    """Store a review and a failure for each installation; return the reviews' job IDs by repository name."""
    found, now, store = {}, time.time(), visit.server.opened.store
    for repo, number in ((visit.shop, 1), (visit.grid, 2)):
        one = repo.repository
        pull = PullRef(repo.installation, repo.id, one.owner.login, one.name, number)
        job = f"review~{pull.installation}~{pull.key}~guid-{number}"
        done = FinishedReview(
            job, "a" * 40, "push", 1, now - 20, now - 10, "neutral", "parts", 2, 900, 0.25, pull, b"{}", (FOUND,),
            title=f"{one.name} {HOSTILE}", state="findings", found=1, still=0, fixed=0,
        )  # fmt: skip
        await store.reviews.save(done)
        await store.reviews.close(pull, now, merged=True)
        broken = replace(pull, number=number + 10)
        ask = records.write(ReviewJob(broken, "push"))
        await store.failures.record(Failure(broken.key, broken, "review", f"{one.name} broke {HOSTILE}", ask, now))
        found[one.name] = job
    return found


def form(page: str) -> str:
    """Return the token in a page's forms."""
    return html.unescape(re.search(r'name="form" value="([^"]+)"', page)[1])  # type: ignore[index]
