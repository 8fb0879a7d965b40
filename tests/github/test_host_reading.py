import pytest
from hosted import Scene

from bot.errors import UsageError
from bot.github import Host
from bot.github.host import MOST_OTHERS, MOST_READ
from bot.publish.existing import threads
from bot.values import CommentRef, PullRef
from bot.workflow import looking


async def test_a_pull_request_as_it_is_now(at: Scene) -> None:
    """Everything that policy and checkout need is read from one answer."""
    await at.repo.add_label(at.number, "urgent")
    facts = await at.host.facts()

    assert (facts.title, facts.state, facts.merged, facts.draft) == ("A change", "open", False, False)
    assert (facts.base_ref, facts.head_ref, facts.head_sha) == ("main", "feature", at.stands.head_sha)
    assert (facts.author, facts.author_type, facts.labels) == ("colleague", "User", ("urgent",))
    assert (facts.repository, facts.fork) == ("acme/shop", False)
    assert facts.url == at.gh.page(at.number)
    assert facts.changed_files == 1


async def test_where_the_head_left_its_base(at: Scene) -> None:
    """The tip of the base branch moves on; the common ancestor stays."""
    left = (await at.host.facts()).base_sha
    tip = await at.repo.commit("main", {"other.py": "x = 2\n"})
    bases = await looking.bases(at.host, "main", at.stands.head_sha)

    assert (bases.tip, bases.merge_base, bases.ahead, bases.behind) == (tip, left, 1, 1)
    assert (await looking.bases(at.host, tip, at.stands.head_sha)).merge_base == left


async def test_what_people_may_do(at: Scene) -> None:
    """A permission is asked of GitHub; who is nobody there may nothing."""
    asked = [await at.host.permission(name) for name in ("maintainer", "stranger", "nobody", "acme")]

    assert asked == ["write", "read", "none", "admin"]


async def test_a_file_of_the_base_branch(at: Scene) -> None:
    """A file is its bytes; it is None for a folder or a path that does not exist."""
    tip = await at.repo.commit("main", {".deeprepo.yml": "quota: 2\n", "docs/a.md": "a"})

    assert await looking.text_at(at.host, ".deeprepo.yml", tip) == "quota: 2\n"
    assert await looking.text_at(at.host, ".deeprepo.yml", at.stands.head_sha) is None
    assert await looking.text_at(at.host, "docs", tip) is None


async def test_whose_comment_is_ours(at: Scene) -> None:
    """Only what our own login has written is ours; a copied text is not."""
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


async def test_of_other_peoples_comments_the_last_are_held(at: Scene) -> None:
    """All of ours and the last of theirs, in the order of the conversation; of a long one its beginning, in a thread those of the thread."""
    first = await at.host.comment("ours")
    for n in range(MOST_OTHERS + 20):
        await at.repo.comment(at.number, f"{n} " + "\U0001f600" * (MOST_READ if n > MOST_OTHERS else 1))
    last = await at.host.comment("ours again")
    held = await at.host.comments()
    assert (held[0].id, held[-1].id, len(held)) == (first.id, last.id, MOST_OTHERS + 2)
    assert held[1].body.startswith("20 ")
    assert max(len(one.body) for one in held) == MOST_READ


async def test_threads_tell_what_a_person_resolved(at: Scene) -> None:
    """REST does not know it, so GraphQL is asked."""
    one, other = [await at.repo.review_comment(at.number, "app.py", line, "why?") for line in (5, 41)]
    at.repo.resolve(at.number, other)

    assert [(t.comment, t.is_resolved, t.hidden_reason) for t in await threads(at.host)] == [
        (one, False, ""),
        (other, True, ""),
    ]


async def test_names_from_outside_lead_nowhere_else(at: Scene) -> None:
    """An address is made of names alone: what would climb out of it is refused before it is sent."""
    before = len(at.gh.requests)
    with pytest.raises(UsageError):
        await at.host.permission("..")
    with pytest.raises(UsageError):
        await looking.text_at(at.host, "a/../../b", "main")
    with pytest.raises(UsageError):
        Host(None, PullRef(1, 1, "acme", "..", 1), at.host.voice)  # type: ignore[arg-type] - it gets no further

    assert len(at.gh.requests) == before
    assert await at.host.permission("some?one#else/x") == "none"
