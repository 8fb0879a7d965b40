"""Create a small folder of evaluation cases and their clone, and run `deeprepo eval reviews` on it."""

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from fakes import Repository

from bot import cli

BASE = {
    "shop/__init__.py": "",
    "shop/rates.py": "def quote(weight, express=False):\n    return weight * (2 if express else 1)\n",
    "shop/labels.py": "from shop.rates import quote\n\n\ndef label(parcel):\n    return quote(parcel.weight, express=True)\n",
    "shop/money.py": "def total(rows):\n    amount = 0\n    for row in rows:\n        amount += row.price\n    return amount\n",
}
RENAMED = {"shop/rates.py": "def price(weight, express=False):\n    return weight * (2 if express else 1)\n"}
OFF = {
    "shop/money.py": "def total(rows):\n    amount = 0\n    for row in rows[1:]:\n        amount += row.price\n    return amount\n"
}
WORDS = {"shop/money.py": "# money\n" + BASE["shop/money.py"]}


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of cases and a folder of the clones that they refer to."""

    cases: Path
    repos: Path
    clone: Repository
    commits: dict[str, str]

    def write(self, name: str, **changed: object) -> Path:
        """Write a case file. `changed` replaces keys of an existing one."""
        path = self.cases / f"{name}.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **changed} if path.exists() else changed))
        return path

    def copy(self, place: Path) -> "Folder":
        """Copy the cases so that a test can change them. The clones are shared."""
        return replace(self, cases=Path(shutil.copytree(self.cases, place / "cases")))

    def command(self, *options: str) -> list[str]:
        """Return the arguments of `deeprepo eval reviews` for this folder."""
        return ["eval", "reviews", "--cases", str(self.cases), "--repos", str(self.repos), "--quiet", *options]


def folder(place: Path) -> Folder:
    """Create one case of each kind and one twin, with a clone that has a base and three changes."""
    clone = Repository(place / "clones" / "acme" / "shop")
    base = clone.commit(dict(BASE), "first")
    commits = {"base": base}
    for name, files in (("renamed", RENAMED), ("off", OFF), ("words", WORDS)):
        clone.git("checkout", "-q", base)
        commits[name] = clone.commit(dict(files), f"{name} by a person")
    made = Folder(place / "cases", place / "clones", clone, commits)
    made.cases.mkdir()
    plain = {"repo": "acme/shop", "base_sha": base, "date": "2025-03-01", "language": "python", "tree_files": 4}
    made.write(
        "off-1", id="off-1", kind="natural", head_sha=commits["off"], title="Skip the head", defects=[LOCAL], **plain
    )
    made.write(
        "omit-1", id="omit-1", kind="omit", head_sha=commits["renamed"], title="Rename quote", defects=[FAR], **plain
    )
    made.write("clean-1", id="clean-1", kind="clean", head_sha=commits["words"], title="Words", defects=[], **plain)
    (made.cases / "twins").mkdir()
    (made.cases / "twins" / "twin-1.json").write_text(json.dumps({"repo": "acme/shop", "base_sha": base, **TWIN}))
    return made


def told(capsys: pytest.CaptureFixture[str], command: list[str]) -> tuple[int, str, str]:
    """Run a command in this process and return its exit code, output and errors."""
    code = cli.main(command)
    seen = capsys.readouterr()
    return code, seen.out, seen.err


def figures(capsys: pytest.CaptureFixture[str], command: list[str]) -> dict[tuple[str, str, str, str], float]:
    """Run a command and return its figures: (kind, reviewer, measure, group) -> value."""
    code, out, err = told(capsys, [*command, "--format", "json"])
    assert code == 0, err
    rows = json.loads(out)["figures"]
    return {(row["kind"], row["reviewer"], row["measure"], row["group"]): row["value"] for row in rows}


LOCAL = {
    "description": "The first row is left out of the total.",
    "spans": [{"file": "shop/money.py", "start": 3, "end": 3, "in_diff": True}],
    "scope": "same-hunk",
    "severity": "high",
    "category": "logic",
    "evidence_files": [],
}
FAR = {
    "description": "quote() is renamed, and shop/labels.py still calls it.",
    "spans": [
        {"file": "shop/rates.py", "start": 1, "end": 1, "in_diff": True},
        {"file": "shop/labels.py", "start": 5, "end": 5, "in_diff": False},
    ],
    "scope": "cross-file",
    "severity": "high",
    "category": "broken-caller",
    "evidence_files": ["shop/labels.py"],
    "symbol": "quote",
}
TWIN = {
    "id": "twin-1",
    "language": "python",
    "title": "Quotes may be negative",
    "body": "A refund is a quote below zero.",
    "pr": [{"path": "shop/rates.py", "start": 2, "end": 2, "lines": ["    return weight * (2 if express else 1) - 1"]}],
    "bad": [{"path": "shop/labels.py", "start": 5, "end": 5, "lines": ["    return range(quote(parcel.weight))[0]"]}],
    "good": [{"path": "shop/labels.py", "start": 5, "end": 5, "lines": ["    return max(0, quote(parcel.weight))"]}],
    "defect": {
        "file": "shop/rates.py",
        "line": 2,
        "description": "label() fails for a weight of 1.",
        "consequence": ".",
    },
    "evidence": [{"file": "shop/labels.py", "line": 5, "why": "an empty range has no first item"}],
}
