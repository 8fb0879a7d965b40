from pathlib import Path

from sandbox_rig import ALL, rig

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
