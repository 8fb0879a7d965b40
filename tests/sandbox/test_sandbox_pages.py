import asyncio
from html.parser import HTMLParser
from pathlib import Path

from sandbox_rig import Rig, receiver, rig

EVIL = '<script>alert(1)</script><img src=x onerror=alert(1)><a href="http://evil.invalid" onclick=x>y</a>'


def _tags(text: str) -> list[tuple[str, dict[str, str]]]:
    """Every element of a page with its attributes, as a browser reads them."""
    found: list[tuple[str, dict[str, str]]] = []
    reader = HTMLParser()
    reader.handle_starttag = lambda tag, attrs: found.append((tag, {key: value or "" for key, value in attrs}))  # type: ignore[method-assign]
    reader.feed(text)
    return found


async def _page(at: Rig, path: str = "/acme/shop/pull/1") -> str:
    answer = await at.client.get(f"{at.gh.world.origin}{path}")
    assert answer.status_code == 200
    assert "script-src 'self'" in answer.headers.get("content-security-policy", "script-src 'self'")
    return answer.text


async def _press(at: Rig, deed: str, **fields: str) -> int:
    address = f"{at.gh.world.origin}/acme/shop/pull/1/{deed}"
    return (await at.client.post(address, data=fields)).status_code


def test_the_page_shows_what_was_posted(tmp_path: Path) -> None:
    """Title, description, comments, threads with their lines, checks and the diff stand on the page."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            await at.review({"path": "a.txt", "line": 11, "body": "thread **one**"})
            await at.ok("POST", "/issues/1/comments", {"body": "the summary"})
            output = {"title": "2 findings", "summary": "all *read*", "text": "more"}
            said = {"name": "deeprepo", "head_sha": at.gh.pull(1).head_sha, "conclusion": "neutral", "output": output}
            await at.ok("POST", "/check-runs", said)
            text = await _page(at)
            for part in (
                "A feature",
                "It does.",
                "<strong>one</strong>",
                "the summary",
                "2 findings",
                "all <em>read</em>",
                "sub/new file.txt",
            ):
                assert part in text

    asyncio.run(run())


def test_nothing_hostile_comes_through(tmp_path: Path) -> None:
    """Markup in titles, names, code and comments is shown as text, everywhere."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            await at.repo.commit("evil", {'"><script>x.txt': f"{EVIL}\n"}, EVIL)
            number = await at.repo.open_pull("evil", title=EVIL, body=EVIL)
            await at.repo.comment(number, EVIL)
            await at.repo.comment(
                number, f"`{EVIL}`\n\n```py\n{EVIL}\n```\n\n```suggestion\n{EVIL}\n```\n[a](javascript:alert(1))"
            )
            text = await _page(at, f"/acme/shop/pull/{number}")
            tags = _tags(text)
            assert [about for name, about in tags if name == "script"] == [{"src": "/page.js"}]
            assert [name for name, _ in tags if name == "img"] == []
            assert [about for _, about in tags if any(key.startswith("on") for key in about)] == []
            assert {about["href"][0] for name, about in tags if name == "a"} == {"/", "#"}
            assert "&lt;script&gt;" in text

    asyncio.run(run())


def test_a_comment_typed_on_the_page_reaches_the_app(tmp_path: Path) -> None:
    """The box posts as the maintainer, and the App gets the signed event; an empty box does nothing."""

    async def run() -> None:
        async with receiver() as heard, rig(tmp_path, webhook=heard.url) as at:
            heard.got.clear()
            assert await _press(at, "comment", body="/deeprepo review\r\nplease") == 303
            await _press(at, "comment", quick="/deeprepo help")
            await _press(at, "comment", body=" ")
            await at.gh.settle()
            said = [(one.user.login, one.body) for one in at.gh.pull(1).comments]
            assert said == [("maintainer", "/deeprepo review\nplease"), ("maintainer", "/deeprepo help")]
            assert heard.events == ["issue_comment.created"] * 2

    asyncio.run(run())


def test_buttons_of_the_page(tmp_path: Path) -> None:
    """One can reply in a thread, resolve it, press a check's button and push the next commit."""

    async def run() -> None:
        async with receiver() as heard, rig(tmp_path, webhook=heard.url) as at:
            top = await at.repo.review_comment(1, "a.txt", 11, "look")
            check = (await at.ok("POST", "/check-runs", {"name": "deeprepo", "head_sha": at.gh.pull(1).head_sha}))["id"]
            at.repo.offer(1, {"b.txt": "1\n"}, "The next one")
            assert "The next one" in await _page(at)
            await at.gh.settle()
            heard.got.clear()
            for deed, fields in (
                ("reply", {"thread": str(top), "body": "why"}),
                ("resolve", {"thread": str(top), "to": "resolved"}),
                ("press", {"check": str(check), "identifier": "again"}),
                ("press", {"check": str(check)}),
                ("push", {}),
            ):
                assert await _press(at, deed, **fields) == 303
                await at.gh.settle()
            assert heard.events == [
                "pull_request_review.submitted",
                "pull_request_review_comment.created",
                "check_run.requested_action",
                "check_run.rerequested",
                "pull_request.synchronize",
            ]
            pull = at.gh.pull(1)
            assert (pull.review_comments[0].is_resolved, pull.review_comments[1].reply_to) == (True, top)
            assert "The next one" not in (await _page(at)).partition("<aside>")[2]

    asyncio.run(run())


def test_another_site_cannot_post(tmp_path: Path) -> None:
    """A form of a foreign page is refused."""

    async def run() -> None:
        async with rig(tmp_path) as at:
            address = f"{at.gh.world.origin}/acme/shop/pull/1/comment"
            answer = await at.client.post(address, data={"body": "x"}, headers={"origin": "http://evil.invalid"})
            assert (answer.status_code, at.gh.pull(1).comments) == (403, [])

    asyncio.run(run())
