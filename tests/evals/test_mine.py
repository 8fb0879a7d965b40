"""Cases mined from a history: what is proven to be broken becomes one, what could still have a meaning does not."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from fakes import Repository

from bot.errors import UsageError
from deeprepo_evals.mine import run
from deeprepo_evals.mine.run import Plan, mine
from deeprepo_evals.reviews import build
from deeprepo_evals.reviews.case_files import read

Files = Mapping[str, str | None]
PY = {
    "pkg/__init__.py": "",
    "pkg/core.py": "def load_settings(path):\n    return path\n",
    "app.py": "from pkg.core import load_settings\n\nprint(load_settings('a'))\n",
}
JAVA = {
    "src/a/Store.java": "package a;\npublic class Store {\n  public void putAll(int x) {}\n}\n",
    "src/b/App.java": "package b;\nimport a.Store;\nclass App {\n  void f(Store store) {\n    store.putAll(1);\n  }\n}\n",
}
# what it is, files before, files after the commit, (symbol, class, user) or None
CHANGES: list[tuple[str, Files, Files, tuple[str, str, str] | None]] = [
    (
        "a function that is renamed",
        PY,
        {
            "pkg/core.py": "def read_settings(path):\n    return path\n",
            "app.py": "from pkg.core import read_settings\n\nprint(read_settings('a'))\n",
        },
        ("load_settings", "function", "app.py"),
    ),
    (
        "a parameter that is new and required",
        PY,
        {
            "pkg/core.py": "def load_settings(path, mode):\n    return path\n",
            "app.py": "from pkg.core import load_settings\n\nprint(load_settings('a', 1))\n",
        },
        ("load_settings", "signature", "app.py"),
    ),
    (
        "a file that moves",
        PY,
        {
            "pkg/core.py": None,
            "pkg/base.py": "def load_settings(path):\n    return path\n",
            "app.py": "from pkg.base import load_settings\n\nprint(load_settings('a'))\n",
        },
        ("core", "module", "app.py"),
    ),
    (
        "a method called on a parameter whose type is written",
        JAVA,
        {
            "src/a/Store.java": "package a;\npublic class Store {\n  public void insertAll(int x) {}\n}\n",
            "src/b/App.java": JAVA["src/b/App.java"].replace("putAll", "insertAll"),
        },
        ("putAll", "method", "src/b/App.java"),
    ),
    (
        "a name that is imported under a guard",
        {**PY, "app.py": "try:\n    from pkg.core import load_settings\nexcept ImportError:\n    load_settings = None\n"},
        {"pkg/core.py": "def read_settings(path):\n    return path\n", "app.py": "load_it = None\n"},
        None,
    ),
    (
        "a name that the file still hands on",
        PY,
        {"pkg/core.py": "from pkg.base import load_settings\n", "pkg/base.py": "def load_settings(path):\n    return path\n", "app.py": "print(1)\n"},
        None,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "told"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES])
def test_a_user_left_out_is_a_case_only_if_it_is_proven_to_break(
    tmp_path: Path, before: Files, after: Files, told: tuple[str, str, str] | None
) -> None:
    """The case names the symbol, its class and the user; its trees can be rebuilt, and the user is in them as it was."""
    clone = _history(tmp_path, before, after)
    out = tmp_path / "cases"
    count = asyncio.run(mine(Plan(clone, out)))
    assert count == {"owner/name": int(told is not None)}
    for case in read(out) if told else ():
        defect = case.defects[0]
        assert (defect.symbol, defect.change, defect.evidence_files[0]) == told
        made = asyncio.run(build.build(case, clone / "owner+name", tmp_path / "made"))
        assert asyncio.run(build.text(made, defect.evidence_files[0])) == before[defect.evidence_files[0]]


def test_the_same_seed_gives_the_same_cases_and_a_repository_that_is_done_is_not_mined_again(
    tmp_path: Path,
) -> None:
    """Files of two runs are equal; a third run over a finished folder writes nothing."""
    clone = _history(tmp_path, *CHANGES[0][1:3])
    plans = [Plan(clone, tmp_path / name, ordinary=5) for name in ("one", "two")]
    told = [asyncio.run(mine(plan)) for plan in plans]
    texts = [{path.name: json.loads(path.read_text()) for path in plan.out.glob("*.json")} for plan in plans]
    assert texts[0] == texts[1]
    assert {case["kind"] for case in texts[0].values()} == {"omit", "ordinary"}
    for path in plans[0].out.glob("*.json"):
        path.unlink()
    assert asyncio.run(mine(plans[0])) == told[0]
    assert not list(plans[0].out.glob("*.json"))


def test_a_repository_is_in_one_half_and_a_folder_without_clones_is_refused(tmp_path: Path) -> None:
    """The half depends on the name alone."""
    assert {run.half(f"owner/{letter}") for letter in "abcdefgh"} == {"build", "test"}
    with pytest.raises(UsageError, match="holds no clone"):
        run.clones(tmp_path)


def _history(tmp_path: Path, before: Files, after: Files) -> Path:
    """A folder with one clone, whose second commit is the change."""
    made = Repository(tmp_path / "clones" / "owner+name")
    made.commit(dict(before))
    made.commit(dict(after))
    return tmp_path / "clones"
