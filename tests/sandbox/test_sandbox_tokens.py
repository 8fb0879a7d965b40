import asyncio
import time
from pathlib import Path

from sandbox_rig import ALL, R, app_jwt, rig

from deeprepo_sandbox.github import keys


def test_an_app_signs_in_with_its_key(tmp_path: Path) -> None:
    """GET /app answers to the JWT of the App's own key, and to the key of nobody else."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            assert (await at.ok("GET", "//app", authorization=f"Bearer {app_jwt(at.gh)}"))["slug"] == "deeprepo"
            other, _ = keys.pair()
            assert (await at.refused("GET", "//app", authorization=f"Bearer {app_jwt(at.gh, other)}"))[0] == 401

    asyncio.run(run())


def test_the_claims_of_a_jwt_are_checked(tmp_path: Path) -> None:
    """A JWT that lives too long, has ended or comes from the future is refused with the reason."""
    now = int(time.time())

    async def run() -> None:
        async with rig(tmp_path) as at:
            for claims, word in (
                ({"exp": now + 900}, "too far"),
                ({"exp": now - 1}, "exp"),
                ({"iat": now + 300}, "iat"),
            ):
                status, said = await at.refused("GET", "//app", authorization=f"Bearer {app_jwt(at.gh, **claims)}")
                assert (status, word in said) == (401, True), claims

    asyncio.run(run())


def test_a_token_has_what_was_asked_for(tmp_path: Path) -> None:
    """A minted token has the long form, the permissions asked for, and one hour to live; a second one is another."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            mint, head = f"//app/installations/{at.gh.installation}/access_tokens", f"Bearer {app_jwt(at.gh)}"
            body = {"repository_ids": [at.repo.id], "permissions": {"contents": "read"}}
            made = await at.ok("POST", mint, body, authorization=head)
            again = await at.ok("POST", mint, body, authorization=head)
            assert made["token"].startswith(f"ghs_{at.gh.app_id}_eyJ")
            assert 480 <= len(made["token"]) <= 560
            assert made["token"] != again["token"]
            assert made["permissions"] == {"contents": "read", "metadata": "read"}
            assert [one["full_name"] for one in made["repositories"]] == ["acme/shop"]
            assert (await at.refused("POST", mint, {"permissions": {"members": "write"}}, authorization=head))[0] == 422
            assert (await at.refused("POST", mint, {"repository_ids": [1]}, authorization=head))[0] == 422
            assert (await at.refused("POST", "//app/installations/7/access_tokens", authorization=head))[0] == 404

    asyncio.run(run())


def test_a_token_ends(tmp_path: Path) -> None:
    """A token is worth nothing after an hour, after its revocation, and when it was never given out."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            spare = f"Bearer {at.gh.token(ALL)}"
            await at.ok("DELETE", "//installation/token", authorization=spare)
            assert (await at.refused("GET", "", authorization=spare))[0] == 401
            assert (await at.refused("GET", "", authorization="Bearer ghs_made_up"))[0] == 401
            await at.ok("GET", "")
            at.gh.pass_time(minutes=61)
            assert "Bad credentials" in (await at.refused("GET", ""))[1]

    asyncio.run(run())


GUARDED: list[tuple[str, str, str, object]] = [
    ("pull_requests", "POST", "/pulls/1/reviews", {"body": "x", "event": "COMMENT"}),
    ("checks", "POST", "/check-runs", {"name": "x", "head_sha": "0" * 40}),
    ("contents", "GET", "/compare/main...feature", None),
    ("contents", "GET", "/contents/a.txt", None),
    ("pull_requests", "GET", "/pulls/1", None),
]


def test_a_missing_permission_is_refused(tmp_path: Path) -> None:
    """Each operation on a private repository needs its own permission: without it 403 in GitHub's words."""

    async def run() -> None:
        async with rig(tmp_path, private=True) as at:
            for lacking, method, path, body in GUARDED:
                granted = {name: level for name, level in ALL.items() if name != lacking}
                head = f"Bearer {at.gh.token(granted, (at.repo.id,))}"
                status, said = await at.refused(method, path, body, authorization=head)
                assert (status, "Resource not accessible by integration" in said) == (403, True), lacking

    asyncio.run(run())


def test_talk_needs_one_of_two_permissions(tmp_path: Path) -> None:
    """A comment in the conversation takes issues or pull_requests; reading alone is not enough."""

    async def run() -> None:
        async with rig(tmp_path, permissions={"issues": "write"}) as at:
            await at.ok("POST", "/issues/1/comments", {"body": "x"})
            reader = f"Bearer {at.gh.token({'issues': 'read', 'pull_requests': 'read'})}"
            assert (await at.refused("POST", "/issues/1/comments", {"body": "x"}, authorization=reader))[0] == 403

    asyncio.run(run())


def test_a_token_of_one_repository_opens_no_other(tmp_path: Path) -> None:
    """A private repository outside of the token is not there; a public one can be read and not written."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            await at.gh.repository("acme", "hidden", private=True)
            await at.gh.repository("acme", "open")
            assert (await at.refused("GET", "//repos/acme/hidden"))[0] == 404
            await at.ok("GET", "//repos/acme/open")
            assert (await at.refused("POST", "//repos/acme/open/check-runs", {"name": "x", "head_sha": "0"}))[0] == 403
            assert (await at.refused("GET", "//repos/acme/hidden", authorization=""))[0] == 404

    asyncio.run(run())


def test_a_suspended_installation_is_closed(tmp_path: Path) -> None:
    """While an installation is suspended no token works and none is minted."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            await at.gh.suspend()
            mint = f"//app/installations/{at.gh.installation}/access_tokens"
            assert (await at.refused("GET", ""))[0] == 403
            assert (await at.refused("POST", mint, authorization=f"Bearer {app_jwt(at.gh)}"))[0] == 403

    asyncio.run(run())


def test_a_workflow_writes_as_actions(tmp_path: Path) -> None:
    """The token of a workflow writes as github-actions[bot], an App of its own, in one repository."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            head = f"Bearer {at.gh.actions_token(at.repo, {'pull_requests': 'write', 'checks': 'write'})}"
            made = await at.ok("POST", "/issues/1/comments", {"body": "x"}, authorization=head)
            assert (made["user"]["login"], made["user"]["type"]) == ("github-actions[bot]", "Bot")
            assert made["performed_via_github_app"]["slug"] == "github-actions"
            assert (await at.refused("PATCH", f"/issues/comments/{made['id']}", {"body": "y"}))[0] == 403

    asyncio.run(run())


def test_the_lists_of_an_app(tmp_path: Path) -> None:
    """An App sees its installations, their repositories, and which installation a repository belongs to."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            head = f"Bearer {app_jwt(at.gh)}"
            homes = await at.ok("GET", "//app/installations", authorization=head)
            assert [home["id"] for home in homes] == [at.gh.installation]
            assert (await at.ok("GET", f"/{R}/installation", authorization=head))["id"] == at.repo.installation
            held = await at.ok("GET", "//installation/repositories")
            assert (held["total_count"], held["repositories"][0]["id"]) == (1, at.repo.id)

    asyncio.run(run())
