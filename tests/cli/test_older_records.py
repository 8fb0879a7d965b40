"""What an older version has stored still counts: its journals are played back, and its owner's words mean what they meant."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from fakes import Repository
from recorded import deeprepo

from bot import pipeline, wiring
from bot.outputs import OUTPUTS
from bot.values import Finding, Review, ReviewRequest

# Written by the version before findings had identities of their own: a review by code, its JSON output, and the same
# review again with a scripted model, built upon that output. `claims` is of the version before several claims were verified in one request.
OLDER = Path(__file__).parent / "data" / "older"
DAY = "2026-01-01T00:00:00Z"
FILES: list[dict[str, str | bytes | None]] = [
    {
        "shop/price.py": 'def total(items, tax):\n    """The sum with tax."""\n    return sum(items) * (1 + tax)\n',
        "shop/cart.py": "from shop.price import total\n\n\ndef pay(items):\n    return total(items, 0.2)\n",
    },
    {
        "shop/price.py": 'def total(items):\n    """The sum."""\n    return sum(items) / len(items)\n',
        "shop/rates.py": 'RATES = {"a": 1, "a": 2}\n',
    },
]


@pytest.fixture
def reviewed(tmp_path: Path) -> Repository:
    """The repository that was reviewed then, object by object."""
    made = Repository(tmp_path / "repository")
    for who in ("AUTHOR", "COMMITTER"):
        made.env |= {f"GIT_{who}_NAME": "A", f"GIT_{who}_EMAIL": "a@example.org", f"GIT_{who}_DATE": DAY}
    for number, files in enumerate(FILES):
        made.write(files)
        made.git("add", "--all")
        made.git("commit", "--quiet", "--message", str(number))
        if not number:
            made.git("switch", "--quiet", "--create", "feature")
    return made


@pytest.mark.parametrize("name", ["offline", "model", "claims"])
def test_an_older_journal_is_played_back(reviewed: Repository, name: str) -> None:
    """The same findings as then, and no difference."""
    journal = OLDER / f"{name}.jsonl"
    where = ("--repo", str(reviewed.folder), "--format", "json")
    done = deeprepo("replay", str(journal), *where, cwd=reviewed.folder)
    assert done.returncode == 0, done.stderr
    known = json.loads(journal.read_text().splitlines()[-1])["findings"]
    assert [one["title"] for one in json.loads(done.stdout)["findings"]] == [one["title"] for one in known]


def again(reviewed: Repository, earlier: bytes, *words: tuple[str, str, str]) -> Review:
    """The next round upon a stored review, with the words that a server has stored by then."""
    flags = {"effort": "none", "previous": earlier}
    scratch = reviewed.folder.parent / "scratch"
    scratch.mkdir(exist_ok=True)
    parts = replace(wiring.deps(flags, str(scratch), lambda _: None), ignored_findings=words)
    request = ReviewRequest(str(reviewed.folder), scope="range", base="main", head="feature")
    return asyncio.run(pipeline.review(request, parts))


def proofs(done: Review) -> list[Finding]:
    """What is open."""
    return [*(placed.finding for placed in done.findings), *done.still]


def test_an_older_word_about_a_proof_still_silences_it_and_nothing_else(reviewed: Repository) -> None:
    """It names a fingerprint alone: of what the older version has reported or silenced by it; in the rounds after that too."""
    earlier = (OLDER / "review.json").read_bytes()
    contract, twice = json.loads(earlier)["findings"]
    assert "sources" not in contract
    word = (contract["fingerprint"], "by design", "finding")

    done = again(reviewed, earlier, word)
    assert [one.title for one in proofs(done)] == [twice["title"]]
    assert [(one.finding.title, one.reason) for one in done.suppressed] == [(contract["title"], "by design")]
    later = again(reviewed, OUTPUTS["json"]().render(done).encode(), word)
    assert [one.title for one in proofs(later)] == [twice["title"]]

    silenced = json.loads(earlier)  # the older version had begun to silence it
    silenced["findings"].remove(contract)
    row = {name: text for name, text in contract.items() if name not in ("place", "spot", "replacement", "refused")}
    silenced["suppressed"] = [{"finding": row, "reason": "by design", "scope": "finding"}]
    assert [one.title for one in proofs(again(reviewed, json.dumps(silenced).encode(), word))] == [twice["title"]]


def test_an_older_withdrawal_silences_no_proof(reviewed: Repository) -> None:
    """A model took back a guess at that place; nor does a word in the store about a finding that no older version reported."""
    earlier = (OLDER / "review.json").read_bytes()
    contract, _ = json.loads(earlier)["findings"]
    assert len(proofs(again(reviewed, earlier, (contract["fingerprint"], "wrong", "withdrawn")))) == len(FILES)
    now = OUTPUTS["json"]().render(again(reviewed, earlier)).encode()
    assert len(proofs(again(reviewed, now, (contract["fingerprint"], "by design", "finding")))) == len(FILES)


def test_the_word_that_is_taken_back_silences_nothing(reviewed: Repository) -> None:
    """Once the store no longer has it, the finding is open again."""
    earlier = (OLDER / "review.json").read_bytes()
    contract, _ = json.loads(earlier)["findings"]
    done = again(reviewed, earlier, (contract["fingerprint"], "by design", "finding"))
    later = again(reviewed, OUTPUTS["json"]().render(done).encode())
    assert contract["title"] in [one.title for one in proofs(later)]
