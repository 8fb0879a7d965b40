from pathlib import Path

import httpx2
from sandbox_rig import Rig, rig

from deeprepo_sandbox.github import description
from deeprepo_sandbox.github.api import OPERATIONS


def test_every_described_operation_is_answered() -> None:
    """The sandbox answers exactly the operations in the API description."""
    assert set(OPERATIONS) == set(description.operations())


async def test_invalid_request_is_recorded_as_a_violation(tmp_path: Path) -> None:
    """Unknown operations, parameters and fields, and wrong types, are recorded as violations."""
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


async def test_manifest_code_creates_an_app_only_once(at: Rig) -> None:
    """The manifest flow's code returns a new App's key and secret only once."""
    manifest = '{"name": "our bot", "hook_attributes": {"url": "http://127.0.0.1:9/hook"}, "redirect_url": "http://127.0.0.1:9/done"}'
    address = f"{at.gh.world.origin}/settings/apps/new?state=abc"
    answer = await at.client.post(address, data={"manifest": manifest})
    target = httpx2.URL(answer.headers["location"])
    assert (answer.status_code, target.params["state"]) == (302, "abc")
    made = await at.ok("POST", f"//app-manifests/{target.params['code']}/conversions", authorization="")
    assert (made["slug"], made["pem"].splitlines()[0]) == ("our-bot", "-----BEGIN RSA PRIVATE KEY-----")
    again = await at.refused("POST", f"//app-manifests/{target.params['code']}/conversions", authorization="")
    assert again[0] == 404
