import pytest
from hosted import Scene

from bot.errors import UsageError
from bot.github import Host
from bot.github.host import MAX_COMMENT_CHARS, MAX_OTHER_COMMENTS
from bot.values import CommentRef, PullRef
from bot.values.shared_file import UnusableFile
from bot.workflow import pull_state
from deeprepo_sandbox import github as sandbox


async def test_only_comments_by_our_login_are_ours(at: Scene) -> None:
    """Only comments by our own login are ours, not copies of their text."""
    posted = await at.host.comment("hello")
    asked = await at.repo.comment(at.number, "hello")
    line = await at.repo.review_comment(at.number, "app.py", 5, "why?")
    answer = await at.repo.reply(at.number, line, "because")

    assert [(c.body, c.ours, c.bot) for c in await at.host.comments()] == [
        ("hello", True, True),
        ("hello", False, False),
    ]
    assert [(c.id, c.thread, c.ours) for c in await at.host.comments("review")] == [
        (line, line, False),
        (answer, line, False),
    ]
    assert posted.ours
    assert (await at.host.comment_at(CommentRef(asked, "issue"))).author == "maintainer"


async def test_only_the_newest_comments_by_others_are_kept(at: Scene) -> None:
    """Our comments and the newest of others are kept in order, and long ones are cut."""
    first = await at.host.comment("ours")
    for n in range(MAX_OTHER_COMMENTS + 20):
        await at.repo.comment(at.number, f"{n} " + "\U0001f600" * (MAX_COMMENT_CHARS if n > MAX_OTHER_COMMENTS else 1))
    last = await at.host.comment("ours again")
    held = await at.host.comments()
    assert (held[0].id, held[-1].id, len(held)) == (first.id, last.id, MAX_OTHER_COMMENTS + 2)
    assert held[1].body.startswith("20 ")
    assert max(len(one.body) for one in held) == MAX_COMMENT_CHARS


async def test_unreadable_settings_file_is_not_reported_as_missing(at: Scene) -> None:
    """A settings file's bytes are unchanged, a folder or broken link gets a reason; None means missing."""
    link = sandbox.TreeEntry("nowhere.yml", "120000")
    await at.repo.commit("main", {"own.yml": b"language: \xe9\n", "folder.yml/own.yml": "a: 1\n", "link.yml": link})
    found = [
        await pull_state.settings_at(at.host, name, "main")
        for name in ("own.yml", "folder.yml", "link.yml", "absent.yml")
    ]
    whys = [UnusableFile("it is a folder, not a file"), UnusableFile("it is a symbolic link, not a file")]
    assert found == [b"language: \xe9\n", *whys, None]


async def test_names_that_would_change_the_url_path_are_refused(at: Scene) -> None:
    """Names that would change the URL's path are refused before a request is sent."""
    before = len(at.gh.requests)
    with pytest.raises(UsageError):
        await at.host.permission("..")
    with pytest.raises(UsageError):
        await pull_state.settings_at(at.host, "a/../../b", "main")
    with pytest.raises(UsageError):
        Host(None, PullRef(1, 1, "acme", "..", 1), at.host.bot_identity)  # type: ignore[arg-type] - it gets no further

    assert len(at.gh.requests) == before
    assert await at.host.permission("some?one#else/x") == "none"
