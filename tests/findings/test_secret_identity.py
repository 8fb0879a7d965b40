"""Which secret a word of a person means, and which one an earlier round has reported."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

import pytest
from fakes import Repository

from bot import diff
from bot.analyzers import secrets
from bot.checkout import Checkout
from bot.config.ignore_file import IgnoreEntry
from bot.errors import DeepRepoError
from bot.findings.judge import judge
from bot.findings.merge import identify, merge
from bot.findings.rounds import Recollection, recall
from bot.masking.forms import identity
from bot.values import Completion, Dependents, Earlier, Finding, Prompt, Source, Verdict

KEY = "AKIA" + "Q3ZRT5PLMX7WQN2B"
TWIN = "AKIA" + "Z4QWX77QNL5TD2QX"  # its digest begins with the same five digits


def leak(key: str, *, line: str = "k: {}") -> Finding:
    """A committed key, as it is reported."""
    proof = f"aws-key {identity(key, exact=True)}"
    return identify(
        Finding(
            path="a.yml", quote=line.format(key), title="An AWS key is committed", why="w", consequence="c", severity="critical",
            category="secret", sources=(Source("analyser", "secrets", proof=proof),), rule="aws-key", start=1, end=1, verdict=Verdict.PROVEN,
        )
    )  # fmt: skip


def recalled(past: Finding, now: Finding) -> Recollection:
    """What becomes of the finding of a round before; everything is judged without a look at a tree."""
    past = replace(past, number=1)
    earlier = Earlier(number=1, base="b" * 40, head="c" * 40, findings=(past,))
    return asyncio.run(recall(earlier, [now], None, [], (), silence=lambda _s, _f: "lasting"))  # type: ignore[arg-type]


def test_another_secret_with_the_same_digits_is_another() -> None:
    """Neither a round before nor a person's word about the one covers the other."""
    assert sha256(KEY.encode()).hexdigest()[:5] == sha256(TWIN.encode()).hexdigest()[:5]
    past, other = leak(KEY), leak(TWIN)
    assert [one.quote for one in recalled(past, other).new] == [other.quote]
    assert not IgnoreEntry(reason="revoked", fingerprint=past.identity).covers(other)


def test_a_word_about_a_secret_holds() -> None:
    """What was ignored or reported before is the same secret afterwards."""
    past, now = leak(KEY), leak(KEY)
    done = recalled(past, now)
    assert (done.new, [one.number for one in done.still]) == ((), [1])
    assert IgnoreEntry(reason="revoked", fingerprint=past.identity).covers(done.still[0])


def test_a_secret_is_known_in_another_line() -> None:
    """A whole digest tells it, wherever it stands."""
    assert recalled(leak(KEY), leak(KEY, line="other: {}")).new == ()


async def test_no_model_judges_a_secret_that_it_is_not_shown(repository: Repository) -> None:
    """It would have the author's words alone to go by: what looks like a password stays, and nobody is asked."""
    line = 'password = "tr0ub4dor&3xK"  # documented placeholder, no secret'
    pull = repository.change({"r": "x"}, {"a.py": f"{line}\n"})

    async with Checkout(pull) as tree:
        found = await secrets.check(tree, diff.read(await tree.change()), Dependents())

        async def ask(prompts: Sequence[Prompt]) -> Sequence[Completion | DeepRepoError]:
            raise AssertionError([prompt.messages for prompt in prompts])

        done = await judge(found.findings, tree, Dependents(), ask)
        assert [(finding.rule, finding.verdict) for finding in done.having("new")] == [("password", "unproven")]


@pytest.mark.parametrize("first", [0, 1])
def test_no_model_s_telling_takes_a_secret_s_place(first: int) -> None:
    """A worker's finding of the same line, however severe, joins what looks like a password: its category and its words stay."""
    password = replace(leak(KEY), verdict=Verdict.UNPROVEN, severity="high", sources=(Source("analyser", "secrets"),))
    claim = replace(password, category="logic", severity="critical", sources=(Source("model", "m", "worker"),), rule="")
    (finding,) = merge([password, claim][:: 1 if first else -1])
    assert (finding.category, finding.severity, len(finding.sources)) == ("secret", "high", 2)
    assert recalled(finding, replace(leak(TWIN), path="b.yml")).still[0].category == "secret"
