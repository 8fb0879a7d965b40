"""Every analyzer's finding is fixed in the next review once its cause is fixed. The tools run for real."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from fakes import Repository
from pushes import Hand

from bot.config.defaults import ANALYZERS
from bot.values import Review

WORKFLOW = "on: issue_comment\npermissions: {}\njobs:\n  greet:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo hello\n"
PRICE = 'def total(items, tax):\n    """The sum with tax."""\n    return sum(items) * (1 + tax)\n'
CART = "from shop.price import total\n\n\ndef pay(items):\n    return total(items, 0.2)\n"
Files = Mapping[str, str]
# analyzer -> the base, the push that adds a fault, and the push that fixes it
FAULTS: Mapping[str, tuple[Files, Files, Files]] = {
    "contracts": (
        {"shop/price.py": PRICE, "shop/cart.py": CART},
        {"shop/price.py": PRICE.replace(", tax", "").replace("(1 + tax)", "2")},
        {"shop/cart.py": CART.replace(", 0.2", "")},
    ),
    "references": (
        {"shop/__init__.py": "", "shop/price.py": PRICE},
        {"shop/cart.py": CART.replace("import total", "import totals")},
        {"shop/cart.py": CART},
    ),
    "ruff": ({}, {"a.py": "print(missing)\n"}, {"a.py": 'print("there")\n'}),
    "secrets": ({}, {"a.py": 'key = "AKIAQ3ZRT5PLMX7WQN2B"\n'}, {"a.py": "key = None\n"}),
    "settings": ({}, {".deeprepo.yml": "strategi: x\n"}, {".deeprepo.yml": "language: en\n"}),
    "oxlint": ({}, {"a.js": "const n = 1;\nn = 2;\n"}, {"a.js": "let n = 1;\nn = 2;\n"}),
    "shellcheck": (
        {},
        {"run.sh": '#!/bin/sh\nif [ "$1" > "2" ]; then echo more; fi\n'},
        {"run.sh": '#!/bin/sh\nif [ "$1" -gt 2 ]; then echo more; fi\n'},
    ),
    "zizmor": (
        {".github/workflows/g.yml": WORKFLOW},
        {".github/workflows/g.yml": WORKFLOW + '      - run: echo "${{ github.event.comment.body }}"\n'},
        {".github/workflows/g.yml": WORKFLOW + "      - run: echo there\n"},
    ),
    "hadolint": (
        {},
        {"deploy/Dockerfile": "FROM a:1\nCOPY one two three\n"},
        {"deploy/Dockerfile": "FROM a:1\nCOPY one two three/\n"},
    ),
    "ty": (
        {"a.py": "def f() -> dict[str, int]:\n    return {}\n", "u.py": "from a import f\n\nprint(f().items())\n"},
        {"a.py": "def f() -> list[str]:\n    return []\n"},
        {"u.py": "from a import f\n\nprint(f())\n"},
    ),
    "tsc": (
        {
            "a.ts": "export const f = (): Map<string, number> => new Map();\n",
            "u.ts": "import { f } from './a';\n\nf().get('a');\n",
        },
        {"a.ts": "export const f = (): string[] => [];\n"},
        {"u.ts": "import { f } from './a';\n\nf().at(0);\n"},
    ),
}
LASTING = frozenset({"secrets"})  # a removed secret is still in the history, so its finding is not fixed


@pytest.fixture
def hand(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hand:
    """Return a helper that reviews an empty repository with static checks only."""
    (tmp_path / "scratch").mkdir()
    return Hand(repository, tmp_path / "scratch", monkeypatch)


def rounds(hand: Hand, base: Files, *pushes: Files) -> None:
    """Commit the base, and then each push on a feature branch."""
    hand.repository.commit({"README.md": "shop\n", **base}, "before")
    hand.repository.git("checkout", "-qb", "feature")
    for number, files in enumerate(pushes):
        hand.repository.commit(dict(files), f"push {number}")


def by_code(hand: Hand, previous: Review | None = None, **flags: object) -> Review:
    """Run a review without a model."""
    return hand.review(previous, worker=None, strategy="offline", **flags)


@pytest.mark.parametrize("name", ANALYZERS)
def test_corrected_fault_is_fixed_in_the_next_review(hand: Hand, name: str) -> None:
    """Each analyzer reports its fault, and after the fix none of its findings is open or new."""
    base, fault, mending = FAULTS[name]
    rounds(hand, base, fault)
    first = by_code(hand)
    reported = [one.finding for one in first.reported if name in one.finding.source.split(" + ")]
    assert reported
    hand.repository.commit(dict(mending), "mended")
    second = by_code(hand, first)
    fixed, still = (
        [f.title for f in found if name in f.source.split(" + ")]
        for found in (second.findings_with_status("fixed"), second.still)
    )
    if name not in LASTING:
        assert (fixed, still) == ([f.title for f in reported], [])
    assert [one for one in second.reported if one.finding.source == name] == []


def test_finding_stays_open_if_its_file_becomes_binary(hand: Hand) -> None:
    """If the broken file becomes binary, no check can read it, and its finding stays open."""
    app = "from cart import total\n\ntotal([])\n"
    rounds(
        hand,
        {"cart.py": "def total(items):\n    return 1\n", "app.py": app},
        {"cart.py": "def sums(items):\n    return 1\n"},
    )
    first = by_code(hand)
    hand.repository.commit({"app.py": app + "\0" * 40}, "again")
    second = by_code(hand, first)
    assert (second.findings_with_status("fixed"), [finding.path for finding in second.still]) == ((), ["app.py"])
