"""Which page an address is, and what its buttons do. The person at the browser is who is signed in there: at first the maintainer."""

import json
import re
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response

from deeprepo_sandbox.github import diffs, git
from deeprepo_sandbox.github.bodies.commits import blob
from deeprepo_sandbox.github.bodies.pulls import changed_files
from deeprepo_sandbox.github.conversation import MAINTAINER
from deeprepo_sandbox.github.oauth import Flow
from deeprepo_sandbox.github.pages import code, markdown, pull, suggestions
from deeprepo_sandbox.github.repo import Repo
from deeprepo_sandbox.github.things import Pull, Repository
from deeprepo_sandbox.github.world import World
from deeprepo_sandbox.words import text

HERE = Path(__file__).parent
VISITOR = "sandbox-visitor"  # the cookie that says who is signed in at a browser
POLICY = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'"
KINDS = {"style.css": "text/css", "page.js": "text/javascript"}
GET = re.compile(r"/(?P<owner>[^/]+)/(?P<name>[^/]+)/(?P<kind>pull|blob|commit)/(?P<rest>.+)")
Deed = Callable[[Repo, Pull, dict[str, str], str], Awaitable[object]]


async def answer(world: World, request: Request) -> Response:
    """The page of an address."""
    path = request.url.path
    if request.method == "POST":
        return await _post(world, request, path)
    if path == "/":
        return _page("index.html.j2", rows=[one for one in world.pulls() if not one.repository.is_deleted])
    if path[1:] in KINDS:
        return Response((HERE / path[1:]).read_bytes(), 200, {"cache-control": "no-cache"}, KINDS[path[1:]])
    found = GET.fullmatch(path)
    where = world.repository(found["owner"], found["name"]) if found else None
    if found is None or where is None:
        return _missing()
    rest = unquote(found["rest"])
    if found["kind"] == "pull":
        return await _pull(world, where, rest, visitor(world, request))
    return await (_file if found["kind"] == "blob" else _commit)(where, rest)


async def _pull(world: World, where: Repository, rest: str, who: str) -> Response:
    number, _, part = rest.partition("/")
    bare, _, form = number.partition(".")
    one = where.pulls.get(int(bare)) if bare.isdecimal() else None
    if one is None:
        return _missing()
    if form in {"diff", "patch"}:
        text = await git.text(where.git, "diff", *diffs.FORM, f"{one.base_sha}...{one.head_sha}")
        return PlainTextResponse(text + "\n")
    if part == "version":
        return PlainTextResponse(pull.version(world, one), headers={"cache-control": "no-store"})
    files, checks = await changed_files(one), pull.checks(one)
    return _page(
        "pull.html.j2",
        pull=one,
        events=await pull.events(one),
        files=files,
        rows=pull.rows,
        added=sum(file.count("+") for file in files),
        removed=sum(file.count("-") for file in files),
        checks=checks,
        busy=any(check.status != "completed" for check in checks),
        html=markdown.html,
        version=pull.version(world, one),
        offers=[text for number, text, _ in world.offers if number == one.id],
        commands=world.commands,
        people=where.people,
        me=_member(who, where),
        is_protected=one.head in where.protected_branches,
        may_commit=Repo(world, where).app_permissions.get("contents") == "write",
        notices=world.notices,
        links=world.links,
    )


async def _file(where: Repository, rest: str) -> Response:
    sha, _, path = rest.partition("/")
    known = await git.tip(where.git, sha)
    data = await blob(where.git, known, path) if known and path else None
    if data is None:
        return _missing()
    lines = data.decode(errors="replace").removesuffix("\n").split("\n")
    rows = [code.line(line, path) for line in lines]
    return _page("file.html.j2", repository=where, path=path, sha=sha, rows=rows)


async def _commit(where: Repository, rest: str) -> Response:
    sha = await git.tip(where.git, rest)
    above = await git.tip(where.git, f"{sha}^") if sha else None
    if sha is None or above is None:
        return _missing()
    files = await diffs.diff(where.git, above, sha)
    text = await git.text(where.git, "show", "--no-patch", "--format=%B", sha)
    return _page("commit.html.j2", repository=where, sha=sha, text=text, files=files, rows=pull.rows)


async def _post(world: World, request: Request, path: str) -> Response:
    """A button or a box of a page, or the beginning of the manifest flow."""
    form = {name: str(value) for name, value in (await request.form()).items()}
    if path.endswith("/settings/apps/new"):
        return _manifest(world, form.get("manifest", ""), request.query_params.get("state", ""))
    if request.headers.get("origin", world.origin) != world.origin:
        return PlainTextResponse("Only the sandbox's own pages may post here.", 403)
    found = re.fullmatch(r"/([^/]+)/([^/]+)/pull/(\d+)/(\w+)", path)
    where = world.repository(found[1], found[2]) if found else None
    one = where.pulls.get(int(found[3])) if found and where else None
    if found is None or where is None or one is None or found[4] not in {*DEEDS, "be"}:
        return _missing()
    back = RedirectResponse(f"/{quote(where.full_name)}/pull/{one.number}#{quote(form.get('at', 'last'))}", 303)
    if found[4] == "be":
        _signed_in(back, form.get("login", ""))
    else:
        await DEEDS[found[4]](Repo(world, where), one, form, _member(visitor(world, request), where))
    return back


def visitor(world: World, request: Request) -> str:
    """Who is signed in at this browser: each has its own; one that has chosen nobody, whom the sandbox was given."""
    return unquote(request.cookies.get(VISITOR, "")) or world.visitor


def _signed_in(response: Response, login: str) -> None:
    response.set_cookie(VISITOR, quote(login), httponly=True, samesite="lax")


def _member(who: str, where: Repository) -> str:
    """Return the visitor's login, or the maintainer's if the visitor has no account in this repository."""
    return who if who in where.people else MAINTAINER


async def _comment(repo: Repo, one: Pull, form: dict[str, str], who: str) -> None:
    """A comment, or a review with this text."""
    typed = form.get("body", "").rstrip()  # beside a button's command: nothing that somebody has typed is lost
    body = "\n\n".join(filter(None, (typed, form.get("quick", "")))).replace("\r\n", "\n")
    if body.strip():
        await (repo.review if form.get("as") == "review" else repo.comment)(one.number, body, who)


async def _reply(repo: Repo, one: Pull, form: dict[str, str], who: str) -> None:
    if form.get("body", "").strip():
        await repo.reply(one.number, int(form["thread"]), form["body"].replace("\r\n", "\n"), who)


async def _apply(repo: Repo, one: Pull, form: dict[str, str], who: str) -> None:
    await suggestions.commit(repo, one, int(form["comment"]), who)


async def _resolve(repo: Repo, one: Pull, form: dict[str, str], who: str) -> None:  # noqa: ARG001 - the form of a deed
    repo.resolve(one.number, int(form["thread"]), form.get("to") == "resolved")


async def _react(repo: Repo, one: Pull, form: dict[str, str], who: str) -> None:
    if form.get("content") in REACTIONS:
        repo.react(one.number, int(form["comment"]), form["content"], who)


async def _press(repo: Repo, one: Pull, form: dict[str, str], who: str) -> None:  # noqa: ARG001 - the same
    check, identifier = int(form["check"]), form.get("identifier")
    await (repo.press(check, identifier, who) if identifier else repo.rerequest(check, who))


async def _push(repo: Repo, one: Pull, form: dict[str, str], who: str) -> None:  # noqa: ARG001 - the same
    await repo.take_offer(one.number)


async def _settle(repo: Repo, one: Pull, form: dict[str, str], who: str) -> None:
    """What a writer decides on other pages of GitHub: whether the branch is protected, and whether the App may commit."""
    if repo.repository.people.get(who) not in WRITERS:
        return
    if "protected" in form:
        repo.protect(one.head, is_protected=form["protected"] == "on")
    if "commits" in form:
        repo.app_permissions["contents"] = "write" if form["commits"] == "on" else "read"


REACTIONS = frozenset({"+1", "-1"})
WRITERS = frozenset({"write", "maintain", "admin"})
DEEDS: dict[str, Deed] = {
    "comment": _comment,
    "reply": _reply,
    "apply": _apply,
    "resolve": _resolve,
    "react": _react,
    "press": _press,
    "push": _push,
    "settle": _settle,
}


async def agree(flow: Flow, request: Request) -> Response:
    """The web flow: the page on which a person agrees, their answer, and the App's own request for the token."""
    posted, path = request.method == "POST", request.url.path
    asked = {name: str(value) for name, value in (await request.form() if posted else request.query_params).items()}
    if path == "/login/oauth/access_token" and posted:
        return JSONResponse(flow.exchange(asked), 200, {"cache-control": "no-store"})
    app = flow.app(asked)
    if path != "/login/oauth/authorize" or app is None:
        return _missing()
    who = asked.pop("login", "") or visitor(flow.world, request)
    if posted or flow.has_agreed(app, who):
        back = RedirectResponse(flow.agree(app, asked, who), 302)
        _signed_in(back, who)
        return back
    people = sorted({login for one in flow.repositories() for login in (*one.people, one.owner.login)})
    page = text("authorize.html.j2", app=app, asked=asked, people=people)
    # The way back is another origin, and Chromium holds the redirect after a form against form-action.
    policy = POLICY.replace("form-action 'self'", f"form-action 'self' {' '.join(app.callbacks)}".strip())
    return HTMLResponse(page, 200, {"content-security-policy": policy, "cache-control": "no-store"})


def _manifest(world: World, manifest: str, state: str) -> Response:
    """Make the App that a manifest describes, as if its owner had pressed the button, and send the browser back."""
    try:
        said = json.loads(manifest)
        back, hook = str(said["redirect_url"]), str(said.get("hook_attributes", {}).get("url", ""))
    except (ValueError, KeyError, TypeError, AttributeError):
        return PlainTextResponse("The manifest is not valid.", 422)
    made = world.register(
        str(said.get("name") or "an app"),
        hook,
        dict(said.get("default_permissions", {})),
        tuple(said.get("default_events", ())),
        tuple(map(str, said.get("callback_urls", ()))),
    )
    code_ = secrets.token_hex(20)
    world.manifests[code_] = made.id
    sign = "&" if "?" in back else "?"
    return RedirectResponse(f"{back}{sign}code={code_}&state={quote(state)}", 302)


def _page(template: str, **values: object) -> Response:
    return HTMLResponse(
        text(template, **values),
        200,
        {"content-security-policy": POLICY, "cache-control": "no-store"},
    )


def _missing() -> Response:
    return HTMLResponse(text("missing.html.j2"), 404, {"content-security-policy": POLICY})
