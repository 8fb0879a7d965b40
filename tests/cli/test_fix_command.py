"""`deeprepo fix` and `deeprepo review --fix` fix findings in the work tree, or change nothing at all."""

import json
from pathlib import Path

import pytest
from fakes import Repository
from families import few
from recorded import Ended, deeprepo

FILES = {
    "shop/price.py": "def total(items, tax):\n    rows = list(items)\n    return sum(rows)\n",
    "shop/cart.py": "from shop.price import total\n\n\ndef pay(items):\n    return total(items, 0.2)\n",
    "shop/order.py": "from shop import price\n\n\ndef order(items):\n    return price.total(items, 0.1)\n",
}
CHANGE = {"shop/price.py": "def total(items):\n    rows = list(items)\n    return sum(rows)\n"}


@pytest.fixture
def broken(tmp_path: Path) -> Repository:
    """Return a checkout whose branch drops a parameter and forgets two callers."""
    made = Repository(tmp_path / "repository")
    made.commit(FILES, "main")
    made.git("checkout", "-qb", "feature")
    made.commit(CHANGE, "feature")
    return made


def run(at: Repository, *words: str) -> Ended:
    """Run a command in the checkout."""
    return deeprepo(*words, cwd=at.folder)


def reviewed(at: Repository) -> Path:
    """Store a review's JSON output outside of the checkout, and return its path."""
    output = at.folder.parent / "review.json"
    run(at, "review", "main..feature", "--effort", "none", "--format", "json", "--output", str(output))
    return output


def text(at: Repository, path: str) -> str:
    """Return the text of a file in the work tree."""
    return (at.folder / path).read_text()


def test_review_fixes_its_findings_and_reviews_the_result(broken: Repository) -> None:
    """Both callers are fixed in one run, and the review of the result finds nothing."""
    done = run(broken, "review", "main..feature", "--effort", "none", "--fail-on", "low", "--fix")
    assert "1 finding fixed in 2 files: shop/cart.py, shop/order.py" in done.stderr
    assert "found no more problems. See the changes with `git diff`." in done.stderr
    assert done.returncode == 0
    assert text(broken, "shop/cart.py").endswith("return total(items)\n")
    assert text(broken, "shop/order.py").endswith("return price.total(items)\n")
    assert "fix these and review again" not in done.stdout  # which --fix already does


def test_similar_name_is_suggested_but_never_applied(broken: Repository) -> None:
    """A similar name may mean something else, so it is only suggested, never applied."""
    broken.commit({"lib.ts": "export const formatDate = (at: Date) => 1;\n"}, "a library")
    use = "import { formatDateTime } from './lib';\nformatDateTime(new Date());\n"
    broken.commit({"app.ts": use}, "a name of none")
    done = run(broken, "review", "HEAD~1..HEAD", "--effort", "none", "--fix")
    assert "`formatDateTime` is not in lib.ts; did you mean `formatDate`?" in done.stdout
    assert "Nothing to fix" in done.stderr
    assert text(broken, "app.ts") == use


def test_fix_is_never_written_to_another_branch(broken: Repository) -> None:
    """Neither --fix nor `fix` writes on another branch; a commit with the same content is accepted."""
    output = reviewed(broken)
    broken.git("checkout", "-q", "main")
    for words in (("review", "main..feature", "--effort", "none", "--fix"), ("fix", str(output))):
        done = run(broken, *words)
        assert (done.returncode, "is not checked out here" in done.stderr) == (2, True)
        assert {path: text(broken, path) for path in FILES} == FILES
    broken.git("checkout", "-q", "feature")
    broken.git("commit", "-q", "--amend", "-m", "another title")
    assert "1 finding fixed in 2 files" in run(broken, "fix", str(output)).stderr


@pytest.mark.parametrize("path", few(["shop/cart.py", "shop/order.py"], 0))
def test_no_file_is_changed_if_one_changed_since_the_review(broken: Repository, path: str) -> None:
    """If one file has changed since the review, no file is changed."""
    output = reviewed(broken)
    (broken.folder / path).write_text("# mine\n" + FILES[path])
    before = {name: text(broken, name) for name in FILES}
    done = run(broken, "fix", str(output))
    assert done.returncode == 2
    assert f"{path} changed since the review" in done.stderr
    assert {name: text(broken, name) for name in FILES} == before


@pytest.mark.parametrize("path", few(["../outside.py", ".git/config", "shop/none.py", ".github/workflows/ci.yml"], 0))
def test_review_file_cannot_choose_which_files_are_changed(broken: Repository, path: str) -> None:
    """A review file may come from a stranger, so it cannot choose which files are rewritten."""
    output = reviewed(broken)
    broken.write({".github/workflows/ci.yml": "on: push\n"})
    document = json.loads(output.read_text())
    for finding in document["findings"]:
        finding["rewrites"] = [{"path": path, "line": 1, "old": "on: push", "new": "planted"}]
    output.write_text(json.dumps(document))
    before = (broken.folder / ".git/config").read_text()
    done = run(broken, "fix", str(output))
    assert done.returncode != 0
    assert not (broken.folder.parent / "outside.py").exists()
    assert (broken.folder / ".git/config").read_text() == before
    assert text(broken, ".github/workflows/ci.yml") == "on: push\n"


@pytest.mark.parametrize(("field", "value"), [("base", "--output={}"), ("head", "main"), ("base_tip", "0" * 40 + "\n")])
def test_only_commit_ids_from_a_review_file_reach_git(broken: Repository, field: str, value: str) -> None:
    """Other values could be git options that write files, so they are rejected before git runs."""
    file, victim = reviewed(broken), broken.folder.parent / "profile"
    victim.write_text("my own\n")
    document = json.loads(file.read_text())
    document["pull"][field] = value.format(victim)
    file.write_text(json.dumps(document))
    for words in ((), ("--patch",)):
        done = run(broken, "fix", str(file), *words)
        assert done.returncode == 2
        assert f"pull.{field} is {value.format(victim)[:80]!r}, not the id of an object" in done.stderr
    previous = run(broken, "review", "main..feature", "--effort", "none", "--format", "json", "--previous", str(file))
    assert previous.returncode == 0
    assert field == "base_tip" or "is damaged (ValueError" in previous.stdout
    assert victim.read_text() == "my own\n"
    assert text(broken, "shop/cart.py") == FILES["shop/cart.py"]


def test_git_folder_is_never_taken_from_a_review_file(broken: Repository) -> None:
    """A git or object folder that the file names is neither read nor written."""
    other = Repository(broken.folder.parent / "other")
    objects = other.folder / ".git" / "objects"
    file = reviewed(broken)
    document = json.loads(file.read_text())
    document["pull"] |= {
        "git_dir": str(other.folder / ".git"),
        "object_dir": str(objects),
        "withheld": ["shop/cart.py"],
    }
    file.write_text(json.dumps(document))
    before = sorted(objects.rglob("*"))
    done = run(broken, "fix", str(file))
    assert done.returncode == 0, done.stderr
    assert sorted(objects.rglob("*")) == before
    assert text(broken, "shop/cart.py").endswith("return total(items)\n")


def test_fix_that_causes_a_new_problem_is_reverted(broken: Repository) -> None:
    """The files are restored and the new problem is named; here only the type checker finds it."""
    output = reviewed(broken)
    review = json.loads(output.read_text())
    (finding,) = review["findings"]
    (row,) = [rewrite for rewrite in finding["rewrites"] if rewrite["path"] == "shop/cart.py"]
    row["new"] = "    return total(items) + len()"
    output.write_text(json.dumps(review))
    before = {path: text(broken, path) for path in ("shop/cart.py", "shop/order.py")}

    done = run(broken, "fix", str(output))

    assert {path: text(broken, path) for path in before} == before
    assert done.returncode == 1
    assert "the fix would add a new problem, so the file was restored" in done.stderr
    assert "the result would have a new problem: shop/cart.py:5 ty: " in done.stderr
