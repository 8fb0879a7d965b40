from html.parser import HTMLParser

from sandbox_rig import Rig

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


async def test_the_page_shows_what_was_posted(at: Rig) -> None:
    """Title, description, comments, threads with their lines, checks and the diff stand on the page."""
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


async def test_nothing_hostile_comes_through(at: Rig) -> None:
    """Markup in titles, names, code and comments is shown as text, everywhere."""
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
