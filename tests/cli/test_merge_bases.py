"""A change whose base and head have several merge bases: what a merge brings is not all in the diff, so the review is open."""

import histories
import pytest
from fakes import Repository
from recorded import deeprepo

BAR: dict[str, str | bytes | None] = {".deeprepo.yml": "fail_on: critical\n"}


@pytest.mark.parametrize("name", [*histories.SEVERAL_BASES, *histories.ONE_BASE])
def test_a_review_with_several_merge_bases_is_open_and_fails_a_bar(repository: Repository, name: str) -> None:
    """It says what to do, also if nothing differs from the base that git names, or the change is a commit without a branch."""
    repository.commit({**histories.START, **BAR})
    histories.draw(repository.folder, (histories.SEVERAL_BASES | histories.ONE_BASE)[name])
    head = repository.git("rev-parse", "feature")
    for change in ("main..feature", f"main..{head}"):
        done = deeprepo("review", change, "--strategy", "offline", cwd=repository.folder)
        said = " ".join(done.stdout.split())
        assert done.returncode == (name in histories.SEVERAL_BASES), done.stdout
        assert ("merge main into the branch once more" in said) == (name in histories.SEVERAL_BASES)
        assert ("Nothing found by" in said and "Open:" not in said) != (name in histories.SEVERAL_BASES)


CODE: dict[str, str | None] = {"shop/news.py": "X = 1\n"}
SIDE: tuple[histories.Row, ...] = (
    *histories.CROSSED[:3],
    *(("fixed", ("fixed",), {}) for _ in range(10)),
    ("feature", ("topic", "fixed"), {**histories.OLD, **histories.OTHER, **CODE}),
)
# The main branch has merged the topic long ago, and the other side just now.
LONG_AGO: tuple[histories.Row, ...] = (
    *histories.CROSSED[:2],
    ("main", ("main", "topic"), histories.OTHER),
    *(("main", ("main",), {"step.txt": f"{at}\n"}) for at in range(10)),
    ("main", ("main", "fixed"), {**histories.NEW, **histories.OTHER}),
    ("feature", ("topic", "fixed"), {**histories.NEW, "shop/other.py": None, **CODE}),
)
PLAIN: tuple[histories.Row, ...] = (
    *(("main", ("main",), {"step.txt": f"{at}\n"}) for at in range(10)),
    ("side", ("main",), histories.OTHER),
    ("feature", ("main",), CODE),
    ("main", ("main", "side"), histories.OTHER),
)


@pytest.mark.parametrize("analyzers", ["", "analyzers: [contracts, settings]\n"])
@pytest.mark.parametrize(("rows", "expected"), [(SIDE, 1), (LONG_AGO, 1), (PLAIN, 0)])
def test_a_shallow_clone_hides_no_merge_base(
    repository: Repository, rows: tuple[histories.Row, ...], expected: int, analyzers: str
) -> None:
    """Whatever analyzers are on, the review is open and says once what brings the history; a branch of its own on a shallow main branch is not."""
    bar = {".deeprepo.yml": f"fail_on: critical\n{analyzers}"}
    repository.commit({**histories.START, **bar})
    histories.draw(repository.folder, rows)
    clone = repository.folder.parent / "shallow"
    repository.git("clone", "-q", "--depth=5", "--no-single-branch", repository.folder.as_uri(), str(clone))
    done = deeprepo("review", "origin/main..origin/feature", "--strategy", "offline", cwd=clone)
    assert done.returncode == expected, done.stdout + done.stderr
    assert done.stdout.count("--unshallow") == expected
