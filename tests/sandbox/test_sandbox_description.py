import asyncio
from pathlib import Path

import httpx2
from sandbox_rig import app_jwt, rig

from deeprepo_sandbox import github as sandbox
from deeprepo_sandbox.github import description, validate
from deeprepo_sandbox.github.api import OPERATIONS

# GitHub's own examples that do not fit GitHub's own schema; the sandbox fills in what they lack.
NOT_FITTING = {
    "apps/list-installations",
    "meta/get",
    "repos/get",
    "pulls/list",
    "pulls/get",
    "repos/get-collaborator-permission-level",
}
NO_EXAMPLE = {"apps/redeliver-webhook-delivery"}


def test_every_operation_is_there() -> None:
    """The sandbox answers each operation of the description, and no other."""
    assert set(OPERATIONS) == set(description.operations())


def test_examples_fit_their_schemas() -> None:
    """All but six of GitHub's examples fit its schemas: the check is the right one, neither blind nor too strict."""
    wrong = set()
    for operation in description.operations().values():
        status, said = operation.success()
        if "application/json" in said.get("content", {}) and operation.id not in NO_EXAMPLE:
            wrong |= {operation.id} if validate.answer(operation, status, description.example(operation.id)) else set()
    assert wrong <= NOT_FITTING


def test_what_does_not_fit_is_written_down(tmp_path: Path) -> None:
    """Unknown operations, unknown parameters, unknown fields and wrong types of a caller are violations."""

    async def run() -> None:
        async with rig(tmp_path, strict=False) as at:
            await at.call("GET", "/branches")
            await at.call("GET", "/pulls?staet=open")
            await at.call("GET", "/pulls?state=opened")
            await at.call("POST", "/issues/1/comments", {"body": "x", "colour": "red"})
            await at.call(
                "POST", "/pulls/1/reviews", {"body": "x", "event": "COMMENT", "comments": [{"path": 1, "body": "y"}]}
            )
            await at.call("POST", "/check-runs")
            said = "\n".join(at.gh.violations)
            for word in ("no such operation", "staet", "opened", "colour", "comments/0/path", "no body"):
                assert word in said

    asyncio.run(run())


def test_it_works_without_a_port(tmp_path: Path) -> None:
    """The application answers in the same process too, without a connection."""

    async def run() -> None:
        gh = sandbox.GitHub(tmp_path, None, "secret", "acme")
        gh.world.origin = "http://sandbox.invalid"
        await gh.repository("acme", "shop")
        transport = httpx2.ASGITransport(app=gh.app)
        async with httpx2.AsyncClient(transport=transport, base_url=gh.api) as client:
            answer = await client.get("/app", headers={"authorization": f"Bearer {app_jwt(gh)}"})
            assert (answer.status_code, gh.violations) == (200, ())

    asyncio.run(run())


def test_an_app_is_made_from_a_manifest_once(tmp_path: Path) -> None:
    """The code of the manifest flow hands out the key and the secret of a new App a single time."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            manifest = '{"name": "our bot", "hook_attributes": {"url": "http://127.0.0.1:9/hook"}, "redirect_url": "http://127.0.0.1:9/done"}'
            address = f"{at.gh.world.origin}/settings/apps/new?state=abc"
            answer = await at.client.post(address, data={"manifest": manifest})
            target = httpx2.URL(answer.headers["location"])
            assert (answer.status_code, target.params["state"]) == (302, "abc")
            made = await at.ok("POST", f"//app-manifests/{target.params['code']}/conversions", authorization="")
            assert (made["slug"], made["pem"].splitlines()[0]) == ("our-bot", "-----BEGIN RSA PRIVATE KEY-----")
            again = await at.refused("POST", f"//app-manifests/{target.params['code']}/conversions", authorization="")
            assert again[0] == 404

    asyncio.run(run())
