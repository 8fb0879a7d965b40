from pathlib import Path

from sandbox_rig import ALL, Rig, app_jwt, rig

from deeprepo_sandbox.github import keys


async def test_app_signs_in_only_with_its_key(at: Rig) -> None:
    """GET /app accepts a JWT signed with the App's key, and no other key."""
    assert (await at.ok("GET", "//app", authorization=f"Bearer {app_jwt(at.gh)}"))["slug"] == "deeprepo"
    other, _ = keys.pair()
    assert (await at.refused("GET", "//app", authorization=f"Bearer {app_jwt(at.gh, other)}"))[0] == 401


async def test_token_has_the_requested_permissions(at: Rig) -> None:
    """Each new token has the long format, the requested permissions and repositories."""
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


GUARDED: list[tuple[str, str, str, object]] = [
    ("pull_requests", "POST", "/pulls/1/reviews", {"body": "x", "event": "COMMENT"}),
    ("checks", "POST", "/check-runs", {"name": "x", "head_sha": "0" * 40}),
    ("contents", "GET", "/compare/main...feature", None),
    ("contents", "GET", "/contents/a.txt", None),
    ("pull_requests", "GET", "/pulls/1", None),
]


async def test_missing_permission_is_refused(tmp_path: Path) -> None:
    """Each operation on a private repository needs its own permission, or it gets a 403."""
    async with rig(tmp_path, private=True) as at:
        for lacking, method, path, body in GUARDED:
            granted = {name: level for name, level in ALL.items() if name != lacking}
            head = f"Bearer {at.gh.token(granted, (at.repo.id,))}"
            status, said = await at.refused(method, path, body, authorization=head)
            assert (status, "Resource not accessible by integration" in said) == (403, True), lacking
