"""After a committed secret is removed, the check still fails until somebody authorized says it is revoked."""

from whole import BROKEN, Whole

LEAK = {"shop/keys.py": 'aws_access_key_id = "AKIA' + 'Q3ZRT5PLMX7WQN2B"\n'}


async def test_removed_secret_stays_open_until_dismissed(at: Whole) -> None:
    """Only somebody with write permission can dismiss the finding. It stays dismissed in the next review."""
    await at.repo.commit("main", {".deeprepo.yml": "fail_on: critical\n"})
    number = await at.reviewed(files=LEAK)
    first = at.gh.pull(number).head_sha
    assert at.ending(number) == "failure"
    await at.pushed({"shop/keys.py": None})
    text = at.summary(number)
    assert "removed, but still in commit" in text
    assert "revoke it" in text
    assert first[:10] in text
    assert at.ending(number) == "failure"

    await at.said(number, "/deeprepo ignore 1 revoked", "stranger")
    assert at.ending(number) == "failure"
    assert "Ignored in this pull request" in await at.said(number, "/deeprepo ignore 1 revoked")
    assert at.ending(number) == "success"
    await at.pushed({"NEWS.md": "One more round.\n"})
    assert at.ending(number) == "success"


async def test_tokens_in_names_and_commands_are_never_stored(at: Whole) -> None:
    """Tokens in names and comments are masked like the change itself, so none is posted or stored."""
    branch, asked, path = (f"ghp_{letter}{'Zk3Qw8Lm2Np5Rt7Vx1Yb4Cd6Fg9Hj0Ks2D'}4" for letter in "abc")
    faulty = {f"shop/{path}.py": "def name():\n    return unknown_name\n"}
    await at.repo.commit(f"feature-{branch}", {**BROKEN, **faulty})
    number = await at.repo.open_pull(f"feature-{branch}", title="Prices")
    await at.quiet()
    await at.said(number, f"/deeprepo ask what is {asked}?")
    stands = at.gh.pull(number)
    ours = [c.body for c in (*stands.comments, *stands.review_comments) if "<!-- deeprepo" in c.body]
    posted = "\n".join([*ours, *(f"{c.title}{c.summary}{c.text}{c.annotations}" for c in stands.checks)])
    stored = b"".join(path.read_bytes() for path in at.data.rglob("*") if path.is_file())
    assert [token in posted or token.encode() in stored for token in (branch, asked, path)] == [False, False, False]
    assert "`unknown_name`" in posted  # the finding is reported, without a link to its lines
    assert f"{path[:4]}***.py" in posted
    await at.repo.push(f"feature-{branch}", {"NEWS.md": "One more round.\n"})
    await at.quiet()
    assert "No new findings" in at.gh.pull(number).checks[-1].title  # matched by identity, not path
