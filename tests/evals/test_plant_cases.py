"""`deeprepo eval plant`: planted commits and twins of a real repository, in the form that `deeprepo eval reviews` reads."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from fakes import Repository

from bot.cli import run
from bot.errors import RevisionError, UsageError
from deeprepo_evals.plant import cases as planted
from deeprepo_evals.plant.cases import Plan
from deeprepo_evals.reviews import build, case_files, cases

MODEL = """\
def total_row(items):
    return {"total_amount": sum(items), "item_count": len(items)}


def rows_of(text):
    if not text:
        return []
    return text.split(",")


def key_of(name):
    return name.strip().lower()
"""
USER = """\
from shop.model import key_of, rows_of, total_row


def shown(items):
    row = total_row(items)
    return row["total_amount"], row["item_count"]


def lengths(text):
    return [len(row) for row in rows_of(text)]


def same(one, two):
    return key_of(one) == two
"""
OTHER = "from shop.model import key_of\n\n\ndef listed(names):\n    return [key_of(name) for name in names]\n"
LATER = "def late(days, limit):\n    if days > limit:\n        raise ValueError(days)\n    left = limit - days\n    return left\n"


@pytest.fixture
def shop(repository: Repository) -> Repository:
    """A repository with three commits, two of which change code."""
    repository.commit({"shop/__init__.py": "", "shop/model.py": MODEL, "shop/user.py": USER, "shop/other.py": OTHER})
    repository.commit({"shop/late.py": LATER, "run.sh": "#!/bin/sh\n"}, "Late things\n\nThey cost more.")
    repository.commit({"README.md": "# Shop\n"})
    return repository


def write(plan: Plan) -> list[Path]:
    """What is written."""
    return list(asyncio.run(planted.write(plan)))


def built(out: Path, case: cases.Case) -> Path:
    """The repository of a case, as a review gets it."""
    clone = build.clone_of(out / "repos", case.clone)
    assert clone is not None
    return asyncio.run(build.build(case, clone, out / "built"))


def git(repo: Path, *words: str) -> str:
    """What git says."""
    return subprocess.run(["git", *words], cwd=repo, check=True, capture_output=True, text=True).stdout


def behaviour(repo: Path, branch: str) -> str:
    """What the users of shop/model.py do in a tree."""
    git(repo, "-c", "core.autocrlf=false", "checkout", "--quiet", "--force", branch)
    program = "from shop import user, other\nfor do in (lambda: user.shown([1, 2]), lambda: user.lengths(''), lambda: user.lengths('a,bc'), lambda: user.same('A', 'a'), lambda: other.listed(['B', 'C'])):\n    try:\n        print(do())\n    except Exception as error:\n        print(type(error).__name__)\n"
    done = subprocess.run([sys.executable, "-B", "-c", program], cwd=repo, check=True, capture_output=True, text=True)
    return done.stdout


def test_a_planted_case_is_a_real_commit_with_one_wrong_line(shop: Repository, tmp_path: Path) -> None:
    """Title and change are the commit's own; the label stands on a line that it adds, and no later commit can be read."""
    out = tmp_path / "out"
    write(Plan(out, str(shop.folder), count=1, kinds=("off-by-one",)))
    (case,) = case_files.read(out / "cases")
    repo = built(out, case)
    span = case.defects[0].spans[0]
    assert (case.kind, case.title, case.body) == ("planted", "Late things", "They cost more.")
    assert git(repo, "show", f"head:{span.file}").split("\n")[span.start - 1] == "    if days >= limit:"
    assert "+    if days >= limit:" in git(repo, "diff", "base", "head")
    assert git(repo, "rev-list", "--count", "--all").strip() == "2"


@pytest.mark.slow
def test_the_same_seed_writes_the_same_cases(shop: Repository, tmp_path: Path) -> None:
    """Commit ids too, so that results of several machines can be put together."""
    texts = []
    for name in ("one", "two"):
        paths = write(Plan(tmp_path / name, str(shop.folder), count=2, twins=2, seed=4))
        texts.append([path.read_text() for path in paths])
    assert texts[0] == texts[1]


def test_the_repository_is_left_as_it_was(shop: Repository, tmp_path: Path) -> None:
    """No branch, no object, no file is written into it, and the cases do not need it any more."""
    before = shop.git("count-objects", "-v"), shop.git("for-each-ref"), shop.git("status", "--porcelain")
    write(Plan(tmp_path / "out", str(shop.folder), count=2, twins=1))
    assert (shop.git("count-objects", "-v"), shop.git("for-each-ref"), shop.git("status", "--porcelain")) == before
    shop.folder.rename(tmp_path / "elsewhere")
    for case in case_files.read(tmp_path / "out" / "cases"):
        assert git(built(tmp_path / "out", case), "diff", "base", "head")


def test_without_a_fitting_commit_the_tree_itself_is_planted(repository: Repository, tmp_path: Path) -> None:
    """A repository with a single commit gives cases too; a local name changes beside the defect."""
    repository.commit({"late.py": LATER})
    write(Plan(tmp_path / "out", str(repository.folder), count=1, kinds=("off-by-one",)))
    (case,) = case_files.read(tmp_path / "out" / "cases")
    diff = git(built(tmp_path / "out", case), "diff", "base", "head")
    assert "+    if days >= limit:" in diff
    assert "-    the_left = limit - days" in diff


def test_modes_of_files_stay(shop: Repository, tmp_path: Path) -> None:
    """An executable that the commit brings stays one."""
    (shop.folder / "run.sh").chmod(0o755)
    shop.commit(
        {
            "shop/late.py": LATER
            + "\n\ndef early(days, limit):\n    if days < limit:\n        raise ValueError(days)\n    return 1\n"
        }
    )
    write(Plan(tmp_path / "out", str(shop.folder), count=2, kinds=("off-by-one",)))
    for case in case_files.read(tmp_path / "out" / "cases"):
        rows = git(built(tmp_path / "out", case), "diff", "--raw", "base", "head")
        assert ("run.sh" in rows) == (":000000 100644" in rows or ":100644 100755" in rows)


@pytest.mark.slow
def test_twins_have_one_diff_and_two_trees(shop: Repository, tmp_path: Path) -> None:
    """The change is the same byte for byte; in `good` everything works as before, in `bad` exactly one user does not."""
    out = tmp_path / "out"
    write(Plan(out, str(shop.folder), count=0, twins=5))
    rows = case_files.read(out / "cases")
    names = {case.twin for case in rows}
    assert len(names) >= 3
    for name in sorted(names):
        bad, good = (built(out, next(c for c in rows if c.id == f"{name}/{v}")) for v in ("bad", "good"))
        assert git(bad, "diff", "base", "head") == git(good, "diff", "base", "head") != ""
        assert behaviour(good, "head") == behaviour(good, "base") == behaviour(bad, "base")
        broken = zip(behaviour(bad, "head").split("\n"), behaviour(bad, "base").split("\n"), strict=True)
        assert sum(one != two for one, two in broken) == 1


def test_the_evidence_of_a_twin_is_the_user_that_breaks(shop: Repository, tmp_path: Path) -> None:
    """The line is that of the bad tree."""
    write(Plan(tmp_path / "out", str(shop.folder), count=0, twins=3))
    for case in case_files.read(tmp_path / "out" / "cases"):
        if case.variant == "bad":
            (proof,) = case.defects[0].evidence
            row = git(built(tmp_path / "out", case), "show", f"head:{proof.file}").split("\n")[proof.line - 1]
            assert any(word in row for word in ("key_of(", "rows_of(", "row["))


def test_made_up_code_needs_no_repository(tmp_path: Path) -> None:
    """Each case is a code base of its own, with several labels and with twins beside them."""
    write(Plan(tmp_path / "out", count=2, twins=2, files=24))
    rows = case_files.read(tmp_path / "out" / "cases")
    assert sorted(case.kind for case in rows) == ["planted", "planted", "twins", "twins", "twins", "twins"]
    assert all(git(built(tmp_path / "out", case), "diff", "base", "head") for case in rows)


@pytest.mark.slow
def test_a_second_run_adds_to_the_same_folder(shop: Repository, tmp_path: Path) -> None:
    """Cases of another seed stand beside those of the first."""
    write(Plan(tmp_path / "out", str(shop.folder), count=1))
    write(Plan(tmp_path / "out", str(shop.folder), count=0, twins=1))
    assert all(built(tmp_path / "out", case) for case in case_files.read(tmp_path / "out" / "cases"))


def test_a_folder_without_a_repository_is_refused(tmp_path: Path) -> None:
    """The sentence says what to give."""
    with pytest.raises(RevisionError, match="not a git repository"):
        write(Plan(tmp_path / "out", str(tmp_path)))


def test_a_repository_without_code_is_refused(repository: Repository, tmp_path: Path) -> None:
    """Nothing can be planted in prose."""
    repository.commit({"README.md": "# Nothing\n"})
    with pytest.raises(UsageError, match="nothing can be planted"):
        write(Plan(tmp_path / "out", str(repository.folder)))


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """A file stands in its place."""
    (tmp_path / "out").write_text("")
    with pytest.raises(UsageError, match="cannot hold the cases"):
        write(Plan(tmp_path / "out", count=1, files=10))


def test_the_command_writes_and_says_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Through the door; a class that nobody knows ends with 2."""
    assert run(["eval", "plant", "--out", str(tmp_path / "out"), "--count", "1", "--files", "10", "-q"]) == 0
    assert "1 cases are in" in capsys.readouterr().err
    assert run(["eval", "plant", "--out", str(tmp_path / "out"), "--kind", "typo"]) == 2
    assert "known are off-by-one" in capsys.readouterr().err


def test_a_case_names_class_and_proof(tmp_path: Path) -> None:
    """What `match` and a reader of the JSON need beside the fields of the other cases."""
    (path,) = write(Plan(tmp_path / "out", count=1, files=60, kinds=("wrong-default",)))
    for defect in json.loads(path.read_text())["defects"]:
        assert (defect["class"], defect["label"], defect["scope"]) == ("wrong-default", "mutation", "cross-file")
        assert defect["evidence"]
