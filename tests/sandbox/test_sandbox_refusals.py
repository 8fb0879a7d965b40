"""The sandbox refuses what GitHub refuses, with GitHub's messages. Each case comes from a user's report."""

import asyncio
from pathlib import Path

import pytest
from sandbox_rig import ALL, Rig, app_jwt, rig

from deeprepo_sandbox.github import TreeEntry, git


async def test_account_can_have_only_one_pending_review(at: Rig) -> None:
    """Until it is submitted, the account's other reviews and comments are refused; others don't see it."""
    await at.review({"path": "a.txt", "line": 11, "body": "top"})
    top = at.gh.pull(1).review_comments[0].id
    assert (await at.call("POST", "/pulls/1/reviews", {"body": "a draft"})).json()["state"] == "PENDING"
    asked = [
        ("/pulls/1/reviews", {"body": "another draft"}, "User can only have one pending review per pull request"),
        ("/pulls/1/reviews", {"body": "x", "event": "COMMENT"}, "User can only have one pending review"),
        ("/pulls/1/comments", {"body": "x", "path": "a.txt", "line": 11}, "user_id can only have one pending review"),
        (f"/pulls/1/comments/{top}/replies", {"body": "x"}, '"field": "user_id"'),
    ]
    for path, body, words in asked:
        head = {"commit_id": at.gh.pull(1).head_sha} if path.endswith("comments") else {}
        status, text = await at.refused("POST", path, body | head)
        assert (status, words in text) == (422, True), text
    at.repo.begin_review(1, "maintainer")
    assert len(await at.ok("GET", "/pulls/1/reviews")) == 2


async def test_check_text_limit_is_measured_in_bytes(at: Rig) -> None:
    """The limit is 65,535 bytes, so only half as many two-byte letters fit."""
    run = {"name": "x", "head_sha": at.gh.pull(1).head_sha}
    await at.ok("POST", "/check-runs", run | {"output": {"title": "t", "summary": "ä" * 32_767}})
    status, text = await at.refused("POST", "/check-runs", run | {"output": {"title": "t", "summary": "ä" * 32_768}})
    assert (status, "summary exceeds a maximum bytesize of 65535" in text) == (422, True)


async def test_comment_on_a_file_with_a_too_large_diff_is_refused(at: Rig) -> None:
    """A file with more than 20,000 changed lines accepts no comments, single or in a review."""
    await at.repo.push("feature", {"big.txt": "x\n" * 20_001, "large.txt": "x\n" * 20_000})
    row = {"path": "big.txt", "line": 7, "body": "x"}
    status, text = await at.refused("POST", "/pulls/1/comments", row | {"commit_id": at.gh.pull(1).head_sha})
    assert (status, "pull_request_review_thread.path diff too large" in text) == (422, True)
    assert (await at.review(row)).status_code == 422
    assert (await at.review(row | {"path": "large.txt"})).status_code == 200


@pytest.mark.parametrize("how", ["renamed", "transferred"])
async def test_former_address_redirects_to_the_repository_id(at: Rig, how: str) -> None:
    """Reads get a 301 and writes a 307 to /repositories/ID, which works. Git is redirected too."""
    by_id = f"{at.gh.api}/repositories/{at.repo.id}"
    await (at.repo.rename("store") if how == "renamed" else at.repo.transfer("other"))
    new = "acme/store" if how == "renamed" else "other/shop"
    read = await at.call("GET", "/issues/1/comments?per_page=1")
    write = await at.call("POST", "/issues/1/comments", {"body": "x"})
    assert [(one.status_code, one.headers["location"]) for one in (read, write)] == [
        (301, f"{by_id}/issues/1/comments?per_page=1"),
        (307, f"{by_id}/issues/1/comments"),
    ]
    assert (await at.ok("GET", f"//repositories/{at.repo.id}", None))["full_name"] == new
    if how == "renamed":  # the token belongs to the former owner
        await at.ok("POST", f"//repositories/{at.repo.id}/issues/1/comments", {"body": "x"})
    git_address = f"{at.gh.world.origin}/acme/shop.git/info/refs?service=git-upload-pack"
    moved = await at.client.get(git_address)
    assert (moved.status_code, moved.headers["location"]) == (301, git_address.replace("acme/shop", new))
    await at.gh.repository("acme", "shop", files={"b.txt": "another\n"})
    assert (await at.ok("GET", ""))["full_name"] == "acme/shop"  # a new repository of this name ends the redirect


async def test_ruleset_refuses_a_push(tmp_path: Path) -> None:
    """Updating a branch is subject to its rulesets, and the error has the rule's message."""
    async with rig(tmp_path, permissions={"contents": "write"}) as at:
        at.repo.rule("feature", "Commits must have verified signatures.")
        body = {"sha": await at.repo.commit("other", {"b.txt": "x\n"}, onto="feature")}
        status, text = await at.refused("PATCH", "/git/refs/heads/feature", body)
        assert (status, "Repository rule violations found" in text, "verified signatures" in text) == (422, True, True)


async def test_comments_of_a_deleted_account_have_no_author(at: Rig) -> None:
    """Comments, replies and reviews remain with `user: null`, and its permission is unknown."""
    at.gh.world.user("gone")
    at.repo.add("gone", "write")
    await at.repo.comment(1, "hello", "gone")
    await at.repo.review_comment(1, "a.txt", 11, "look", "gone")
    at.gh.delete_account("gone")
    for path in ("/issues/1/comments", "/pulls/1/comments", "/pulls/1/reviews"):
        assert [row["user"] for row in await at.ok("GET", path)] == [None]
    assert (await at.refused("GET", "/collaborators/gone/permission"))[0] == 404


async def test_rerequested_suite_is_queued(tmp_path: Path) -> None:
    """The suite is queued until the App creates a new check run."""
    async with rig(tmp_path) as at:
        at.gh.subscribe("check_suite")
        run = {"name": "x", "head_sha": at.gh.pull(1).head_sha, "conclusion": "success"}
        number = (await at.ok("POST", "/check-runs", run))["id"]
        for press in (at.repo.rerequest_suite, at.repo.rerequest):
            with at.gh.holding() as held:
                await press(number)
            event = held[0].payload
            suite = event.get("check_suite") or event["check_run"]["check_suite"]
            assert (suite["status"], suite["conclusion"]) == ("queued", None)
            with at.gh.holding() as held:
                await at.ok("POST", "/check-runs", run)
                await asyncio.sleep(0.05)
            assert held[-1].payload["check_run"]["check_suite"]["status"] == "completed"


async def test_comparison_with_a_too_large_diff_fails(at: Rig) -> None:
    """If a diff is too large, the whole response fails, including the merge base."""
    await at.repo.push("feature", {"big.txt": "x\n" * 300_001})
    status, text = await at.refused("GET", "/compare/main...feature?per_page=1&page=2")
    assert (status, "this diff is taking too long to generate" in text) == (422, True)
    assert (await at.call("GET", "/compare/main...main")).status_code == 200


async def test_locked_conversation_accepts_no_comments_from_an_app(at: Rig) -> None:
    """Neither comments nor reviews are accepted until the conversation is unlocked."""
    await at.review({"path": "a.txt", "line": 11, "body": "top"})
    at.repo.lock(1)
    assert (await at.ok("GET", "/pulls/1"))["locked"] is True
    status, text = await at.refused("POST", "/issues/1/comments", {"body": "x"})
    assert (status, "Unable to create comment because issue is locked." in text) == (403, True)
    assert "lock prevents review" in (await at.review()).text
    at.repo.lock(1, is_locked=False)
    await at.ok("POST", "/issues/1/comments", {"body": "x"})


async def test_suspended_installation_gets_no_tokens_or_webhooks(tmp_path: Path) -> None:
    """Tokens are neither created nor accepted, and no webhooks are sent, until the suspension is lifted."""
    async with rig(tmp_path, webhook="http://127.0.0.1:9/hook") as at:
        mint, head = f"//app/installations/{at.gh.installation}/access_tokens", f"Bearer {app_jwt(at.gh)}"
        await at.gh.suspend()
        assert "This installation has been suspended" in (await at.refused("POST", mint, authorization=head))[1]
        assert (await at.refused("GET", ""))[0] == 403
        before = len(at.gh.deliveries)
        await at.repo.comment(1, "hello")
        assert len(at.gh.deliveries) == before
        await at.gh.suspend(is_suspended=False)
        await at.ok("POST", mint, authorization=head)
        await at.ok("GET", "")
        assert [(one.event, one.action) for one in at.gh.deliveries[1:]] == [
            ("installation", "suspend"),
            ("installation", "unsuspend"),
        ]


async def test_commit_can_contain_links_modes_and_submodules(at: Rig) -> None:
    """Symbolic links, executables and submodules can be committed."""
    files = {
        "run.sh": TreeEntry("#!/bin/sh\n"),
        "link": TreeEntry("a.txt", "120000"),
        "vendor": TreeEntry("1" * 40, "160000"),
    }
    await at.repo.push("feature", files)
    listed = await git.text(at.repo.repository.git, "ls-tree", "feature", "run.sh", "link", "vendor")
    assert [row.split()[:2] for row in listed.split("\n")] == [
        ["120000", "blob"],
        ["100755", "blob"],
        ["160000", "commit"],
    ]


async def test_forms_from_another_origin_are_refused(at: Rig) -> None:
    """Forms are only accepted from the sandbox's own origin, and other host names are refused."""
    origin = at.gh.world.origin
    place = f"{origin}/{at.repo.repository.full_name}/pull/1"
    for theirs, status in ((origin, 303), ("null", 403), ("https://example.com", 403)):
        answer = await at.client.post(f"{place}/comment", data={"body": "hello"}, headers={"origin": theirs})
        assert answer.status_code == status
    assert (await at.client.get(place, headers={"host": "example.com"})).status_code == 421
    assert [one.body for one in at.gh.pull(1).comments] == ["hello"]


WRITING = {**ALL, "contents": "write"}
TREES = {
    "../x": "malformed path component",
    "/x": "malformed path component",
    ".git/x": "malformed path component",
    ".github/workflows/x.yml": "Resource not accessible by integration",
}


async def test_invalid_git_data_is_refused(tmp_path: Path) -> None:
    """Paths outside the tree, workflow files, empty trees and empty messages are refused."""
    async with rig(tmp_path, permissions=WRITING) as at:
        base = (await at.ok("GET", f"/git/commits/{at.gh.pull(1).head_sha}"))["tree"]["sha"]
        row = {"mode": "100644", "type": "blob", "content": "x"}
        for path, words in TREES.items():
            asked = {"base_tree": base, "tree": [{**row, "path": path}]}
            status, text = await at.refused("POST", "/git/trees", asked)
            assert (status in (403, 422), words in text) == (True, True), text
        assert (await at.refused("POST", "/git/trees", {"base_tree": base, "tree": []}))[0] == 422
        assert (await at.refused("POST", "/git/commits", {"tree": base, "message": " ", "parents": []}))[0] == 422


async def test_invalid_check_runs_reviews_and_headers_are_refused(tmp_path: Path) -> None:
    """Invalid annotations, conclusions, events and headers are refused."""
    async with rig(tmp_path, strict=False) as at:
        run = {"name": "x", "head_sha": at.gh.pull(1).head_sha}
        note = {"path": "a.txt", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "x"}
        wrong = ({"message": " "}, {"raw_details": "x" * 70_000}, {"annotation_level": "panic"})
        bodies = [run | {"output": {"title": "t", "summary": "s", "annotations": [note | one]}} for one in wrong]
        for body in (*bodies, run | {"status": "completed", "conclusion": "stale"}):
            assert (await at.refused("POST", "/check-runs", body))[0] == 422
        assert (await at.refused("POST", "/pulls/1/reviews", {"body": "x", "event": "SHOUT"}))[0] == 422
        assert (await at.refused("POST", "/pulls/1/comments", {"body": "x", "path": "a.txt", "line": 11}))[0] == 422
        assert (await at.refused("GET", "", None, **{"x-github-api-version": "1999-01-01"}))[0] == 400
        at.client.headers.pop("user-agent")
        assert (await at.refused("GET", ""))[0] == 403
