"""When a model's finding that isn't reported again counts as fixed, and how many model calls that takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fakes import Repository
from pushes import CONFIRMED, Files, Hand, found

from bot.values import Review
from deeprepo_sandbox.providers import Reply

MEAN = "def mean(items):\n    return sum(items) / len(items)\n"
LINE = "    return sum(items) / len(items)"
PAIR = "def mean(items):\n    total = sum(items)\n    return total / len(items)\n"
CART = "from shop.price import total\n\n\ndef pay(items):\n    return total(items, 0.2)\n"
PRICE = "def total(items, tax):\n    return sum(items) * (1 + tax)\n"
PERCENT = PRICE.replace("tax)", "tax / 100)", 2).replace("items, tax / 100", "items, tax")
USE = "from shop.mean import mean\n\n\ndef use():\n    return mean([])\n"
GUARDED = "def apply(rate, amount):\n    if amount < 0:\n        raise ValueError(amount)\n    return amount * rate\n"
BARE = "def apply(rate, amount):\n    return amount * rate\n"
SUGGESTED = "    return sum(items) / max(len(items), 1)"
KEY = "ghp_" + "uXq0ZkV7bT3mNc9RfYw2HsLp6JdGa8Ee1QoI"
TITLE = "The defect"


def claim(path: str = "shop/mean.py", quote: str = LINE, *evidence: tuple[str, str], **more: object) -> dict[str, Any]:
    rows = [{"path": at, "quote": text, "side": "head", "note": "n"} for at, text in evidence]
    return found(path, quote, "high", TITLE) | {"evidence": rows} | more


@dataclass(frozen=True)
class Case:
    """The base files, the pushes, and the finding that is reported for the first push."""

    pushes: Sequence[Files]
    report: Mapping[str, Any] = field(default_factory=claim)
    base: Files = field(default_factory=dict)
    settings: str = ""


ON_CART = claim(
    "shop/cart.py", "    return total(items, 0.2)", ("shop/price.py", "    return sum(items) * (1 + tax / 100)")
)
ON_USE = claim("shop/mean.py", LINE, ("shop/use.py", "    return mean([])"))
ON_PAIR = claim(quote="    total = sum(items)\n    return total / len(items)")
ON_GUARD = claim("shop/rate.py", "        raise ValueError(amount)")
SHOP: Files = {"shop/price.py": PRICE, "shop/cart.py": CART}
FIRST: Files = {"shop/mean.py": MEAN}
REMOVED: tuple[Files, Files] = ({"shop/rate.py": GUARDED}, {"shop/rate.py": BARE})

# The defect is unchanged, and no model reports it again.
STANDING: Mapping[str, Case] = {
    "moved into a file that was there": Case([FIRST, {"shop/mean.py": None, "shop/cart.py": CART + "\n\n" + MEAN}], base=SHOP),
    "the file of the evidence is renamed": Case(
        [{**FIRST, "shop/use.py": USE}, {"shop/use.py": None, "shop/uses.py": USE}], ON_USE
    ),
    "the line of the evidence is edited": Case(
        [{**FIRST, "shop/use.py": USE}, {"shop/use.py": USE.replace("[]", "list()")}], ON_USE
    ),
    "an edit of the file is taken back": Case(
        [{"shop/price.py": PERCENT, "shop/cart.py": "# The cart.\n" + CART}, {"shop/cart.py": CART}], ON_CART, SHOP
    ),
    "a removed line as a comment": Case(
        [REMOVED[1], {"shop/rate.py": "# It was: raise ValueError(amount)\n" + BARE}], ON_GUARD, REMOVED[0]
    ),
    "wrapped": Case([FIRST, {"shop/mean.py": MEAN.replace("sum(items)", "sum(\n        items)")}]),
    "a comment between the lines": Case(
        [{"shop/mean.py": PAIR}, {"shop/mean.py": PAIR.replace("    return", "    # the mean\n    return")}], ON_PAIR
    ),
    "copied first, then deleted": Case(
        [FIRST, {"shop/cart.py": CART + "\n\n" + MEAN}, {"shop/mean.py": None}], base=SHOP
    ),
    "moved into a file that the owner leaves out": Case(
        [FIRST, {"shop/mean.py": None, "made/mean.txt": "x\n" + MEAN}], settings="ignore: ['made/**']\n"
    ),
    "a secret in the line": Case(
        [{"shop/mean.py": MEAN.replace(LINE, f'{LINE}; key = "{KEY}"')}, {"NEWS.md": "one\n"}],
        claim(quote=f'{LINE}; key = "MASKED"'),
    ),
}  # fmt: skip

# The defect is fixed. The number is how many confirmation calls that may take.
MENDED: Mapping[str, tuple[Case, int]] = {
    "the quoted line is edited": (Case([FIRST, {"shop/mean.py": MEAN.replace(LINE, SUGGESTED)}]), 0),
    "the suggestion is taken": (Case([FIRST, {"shop/mean.py": MEAN.replace(LINE, f"    if not items:\n        return 0\n{LINE}")}], claim(suggestion=f"    if not items:\n        return 0\n{LINE}")), 1),
    "one of the quoted lines is edited": (Case([{"shop/mean.py": PAIR}, {"shop/mean.py": PAIR.replace("len(items)", "max(len(items), 1)")}], ON_PAIR), 0),
    "the file is deleted": (Case([{**FIRST, "NEWS.md": "one\n"}, {"shop/mean.py": None}]), 0),
    "the change is taken back": (Case([{"shop/price.py": PERCENT}, {"shop/price.py": PRICE}], ON_CART, SHOP), 0),
    "the cause of an unchanged line is mended": (Case([{"shop/price.py": PERCENT, "NEWS.md": "one\n"}, {"shop/price.py": PRICE + "\n\n# done\n"}], ON_CART, SHOP), 1),
    "a removed line is back": (Case([{**REMOVED[1], "NEWS.md": "one\n"}, REMOVED[0]], ON_GUARD, REMOVED[0]), 0),
    "a removed line is back among other changes": (Case([REMOVED[1], {"shop/rate.py": GUARDED + "\n\nRATE = 2\n"}], ON_GUARD, REMOVED[0]), 1),
    "a guard in front of the line": (Case([FIRST, {"shop/mean.py": MEAN.replace(LINE, f"    if not items:\n        return 0\n{LINE}")}]), 1),
}  # fmt: skip


VERDICTS = ("confirmed", "misjudged")


class Story:
    """All reviews of one case, with a model that reports the defect only in the first one."""

    def __init__(self, repository: Repository, folder: Path, patch: pytest.MonkeyPatch, case: Case) -> None:
        self.case, self.confirmations = case, 0
        repository.commit({"README.md": "shop\n", ".deeprepo.yml": case.settings, **case.base}, "before")
        repository.git("checkout", "-qb", "feature")
        (folder / "scratch").mkdir()
        self.hand = Hand(repository, folder / "scratch", patch)

    def run(self, verdict: str = "confirmed", **flags: object) -> Review:
        """Run all reviews and return the last one. Confirmations in the first review are not counted."""
        review: Review | None = None
        for number, files in enumerate(self.case.pushes):
            self.hand.repository.commit(files, f"push {number}")
            review = self.round(review, verdict, **flags)
        assert review is not None
        return review

    def round(self, before: Review | None, verdict: str, **flags: object) -> Review:
        """Run one review."""

        def worker(body: Mapping[str, Any]) -> Reply:
            text = str(body["messages"])
            if "The claim, about" in text:
                self.confirmations += before is not None
                later = verdict if before is not None else "confirmed"
                pushed = "".join(filter(None, self.case.pushes[-1].values()))
                ground = "return the same as ever" if later == "misjudged" else pushed
                later = "refuted" if later == "misjudged" else later
                return Reply(data={**CONFIRMED, "verdict": later, "ground": ground})
            report = dict(self.case.report)
            if "MASKED" in report["quote"] and "MASKED_SECRET_" in text:
                report["quote"] = report["quote"].replace("MASKED", text[text.index("MASKED_SECRET_") :][:19])
            is_shown = before is None and report["path"] in text
            return Reply(data={"answer": "Read.", "findings": [report] if is_shown else []})

        review = self.hand.review(before, worker, **flags)
        if before is None:
            assert [one.finding.title for one in review.reported if one.finding.category == "logic"] == [TITLE]
        return review


def is_open(review: Review) -> bool:
    return TITLE in {one.title for one in review.open_findings}


@pytest.mark.parametrize("name", STANDING)
def test_unrepeated_finding_on_unchanged_code_stays_open(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The finding stays open, in one row, whether a call confirms it or refutes it on a ground that no push changed."""
    last = Story(repository, tmp_path, monkeypatch, STANDING[name]).run(VERDICTS[len(name) % 2])
    assert is_open(last)
    assert [one.title for one in last.still].count(TITLE) == 1
    assert last.findings_with_status("fixed") == ()


@pytest.mark.parametrize("name", MENDED)
def test_fix_is_detected_with_at_most_one_call(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A fix is detected with at most one confirmation call."""
    case, most = MENDED[name]
    story = Story(repository, tmp_path, monkeypatch, case)
    last = story.run("refuted")
    assert [one.title for one in last.findings_with_status("fixed")] == [TITLE]
    assert not is_open(last)
    assert story.confirmations == most


def test_confirmed_finding_is_not_checked_again_after_an_unrelated_push(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a push changes nothing about a confirmed finding, no model is called again."""
    case = STANDING["the line of the evidence is edited"]
    story = Story(repository, tmp_path, monkeypatch, Case([*case.pushes, {"NEWS.md": "one\n"}], case.report, case.base))
    assert is_open(story.run())
    assert story.confirmations == 1
