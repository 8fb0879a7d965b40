"""The clones of consumers in the data folder of a server."""

from pathlib import Path

from bot.workflow import clones

COMMIT = "a" * 40


def fetched(scratch: Path, text: str) -> Path:
    """A clone as a review has it before it is kept."""
    store = scratch / "7.git"
    store.mkdir(parents=True)
    (store / "HEAD").write_text(text)
    return store


def test_a_kept_clone_is_found_again(tmp_path: Path) -> None:
    """By the repository and the commit, and by no other commit."""
    path = clones.keep(tmp_path, fetched(tmp_path / "scratch", "one"), 7, COMMIT)
    assert (path / "HEAD").read_text() == "one"
    assert clones.find(tmp_path, 7, COMMIT) == path
    assert clones.find(tmp_path, 7, "b" * 40) is None


def test_of_two_reviews_that_fetch_the_same_commit_both_have_a_clone(tmp_path: Path) -> None:
    """The second one reads the clone of the first."""
    first = clones.keep(tmp_path, fetched(tmp_path / "one", "one"), 7, COMMIT)
    second = clones.keep(tmp_path, fetched(tmp_path / "two", "two"), 7, COMMIT)
    assert first == second
    assert (second / "HEAD").read_text() == "one"


def test_a_clone_whose_name_is_taken_is_read_where_it_is(tmp_path: Path) -> None:
    """A link that has the name is not a clone: this review reads what it has fetched, and the next one fetches again."""
    store = fetched(tmp_path / "scratch", "one")
    (clones.folder(tmp_path) / f"7-{COMMIT}.git").symlink_to(tmp_path / "nowhere")
    assert clones.keep(tmp_path, store, 7, COMMIT) == store
    assert store.is_dir()
