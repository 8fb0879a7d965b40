import asyncio
from pathlib import Path

from sandbox_rig import rig


def test_a_comment_is_written_changed_and_taken_away(tmp_path: Path) -> None:
    """A comment in the conversation can be read, edited and deleted by its author."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            made = await at.ok("POST", "/issues/1/comments", {"body": "one"})
            assert made["performed_via_github_app"]["id"] == int(at.gh.app_id)
            await at.ok("PATCH", f"/issues/comments/{made['id']}", {"body": "two"})
            assert (await at.ok("GET", f"/issues/comments/{made['id']}"))["body"] == "two"
            await at.ok("DELETE", f"/issues/comments/{made['id']}")
            assert await at.ok("GET", "/issues/1/comments") == []
            assert (await at.refused("GET", f"/issues/comments/{made['id']}"))[0] == 404

    asyncio.run(run())


def test_a_reaction_is_kept_once(tmp_path: Path) -> None:
    """The same emoji a second time answers 200 in place of 201, and the comment counts one."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            one = await at.repo.comment(1, "/deeprepo review")
            path = f"/issues/comments/{one}/reactions"
            answers = [(await at.call("POST", path, {"content": "eyes"})).status_code for _ in range(2)]
            assert answers == [201, 200]
            assert (await at.ok("GET", f"/issues/comments/{one}"))["reactions"]["eyes"] == 1
            assert [row["content"] for row in await at.ok("GET", path)] == ["eyes"]
            note = await at.repo.review_comment(1, "a.txt", 11, "look")
            await at.ok("POST", f"/pulls/comments/{note}/reactions", {"content": "rocket"})
            assert (await at.refused("POST", f"/pulls/comments/{one}/reactions", {"content": "eyes"}))[0] == 404

    asyncio.run(run())


def test_who_may_do_what(tmp_path: Path) -> None:
    """People have permissions; a login that GitHub does not know has no permission."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            found = {}
            for who in ("maintainer", "stranger", "acme"):
                found[who] = (await at.ok("GET", f"/collaborators/{who}/permission"))["permission"]
            assert found == {"maintainer": "write", "stranger": "read", "acme": "admin"}
            assert (await at.refused("GET", "/collaborators/nobody/permission"))[0] == 404

    asyncio.run(run())


def test_the_pull_request_tells_the_facts_of_git(tmp_path: Path) -> None:
    """Counts, files, patches and the merge base are those of git, from the point where the branches part."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            base = at.gh.pull(1).base_sha
            await at.repo.push("main", {"other.txt": "meanwhile\n"})
            pull = await at.ok("GET", "/pulls/1")
            assert (pull["changed_files"], pull["additions"], pull["deletions"], pull["commits"]) == (3, 4, 3, 1)
            files = {row["filename"]: row for row in await at.ok("GET", "/pulls/1/files")}
            assert {name: row["status"] for name, row in files.items()} == {
                "a.txt": "modified",
                "gone.txt": "removed",
                "sub/new file.txt": "added",
            }
            assert files["a.txt"]["patch"].startswith("@@ -7,7 +7,8 @@")
            compared = await at.ok("GET", f"/compare/main...{pull['head']['sha']}")
            assert (compared["merge_base_commit"]["sha"], compared["status"]) == (base, "diverged")
            diff = await at.call("GET", "/pulls/1", accept="application/vnd.github.diff")
            assert diff.text.startswith("diff --git a/a.txt b/a.txt")

    asyncio.run(run())
