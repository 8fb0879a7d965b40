"""How a secret is identified in dismissals and in earlier reviews."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
import step
from fakes import Repository

from bot import diff
from bot.analyzers.checks import secrets
from bot.checkout import Checkout
from bot.errors import DeepRepoError
from bot.findings.merge import identify, merge
from bot.findings.rounds import recall
from bot.review.judging import judge
from bot.secrets.patterns import identity
from bot.values import Basis, Dependents, EarlierReview, Finding, Source, Verdict
from deeprepo.rlm.values import Completion, Prompt
from tests.findings_changed import changed

KEY = "AKIA" + "Q3ZRT5PLMX7WQN2B"
TWIN = "AKIA" + "Z4QWX77QNL5TD2QX"  # its digest starts with the same five digits


def leak(key: str) -> Finding:
    """Return the finding about a committed key."""
    proof = f"aws-key {identity(key, exact=True)}"
    return identify(
        Finding(
            path="a.yml", quote=f"k: {key}", title="An AWS key is committed", why="w", consequence="c", severity="critical",
            category="secret", basis=Basis((Source("analyser", "secrets", proof=proof),), verdict=Verdict.PROVEN), rule="aws-key", start=1, end=1,
        )
    )  # fmt: skip


def recalled(past: Finding, now: Finding) -> list[Finding]:
    """Return an earlier review's finding and the new one after tracking, without reading files."""
    past = changed(past, number=1)
    earlier = EarlierReview(number=1, base="b" * 40, head="c" * 40, findings=(past,))
    return asyncio.run(recall(earlier, [now], None, [], (), absence=lambda _s, _f: "lasting"))  # type: ignore[arg-type]


async def test_likely_password_is_reported_without_a_model_call(repository: Repository) -> None:
    """A likely password is reported without a model call, because its value is masked."""
    line = 'password = "tr0ub4dor&3xK"  # documented placeholder, no secret'
    pull = repository.change({"r": "x"}, {"a.py": f"{line}\n"})

    async with Checkout(pull) as tree:
        found = await secrets.check(tree, diff.read(await tree.change()), Dependents())

        async def ask(prompts: Sequence[Prompt]) -> Sequence[Completion | DeepRepoError]:
            raise AssertionError([prompt.messages for prompt in prompts])

        done = await judge(step.survey(pull, tree), found.findings, ask)
        assert [(finding.rule, finding.verdict) for finding in done.findings_with_status("new")] == [
            ("password", "unproven")
        ]


@pytest.mark.parametrize("first", [0, 1])
def test_model_finding_is_merged_into_the_secret_finding(first: int) -> None:
    """A model's finding on that line is merged into it, and the category and wording are kept."""
    password = changed(leak(KEY), verdict=Verdict.UNPROVEN, severity="high", sources=(Source("analyser", "secrets"),))
    claim = changed(password, category="logic", severity="critical", sources=(Source("model", "m", "worker"),), rule="")
    (finding,) = merge([password, claim][:: 1 if first else -1])
    assert (finding.category, finding.severity, len(finding.basis.sources)) == ("secret", "high", 2)
    assert recalled(finding, replace(leak(TWIN), path="b.yml"))[-1].category == "secret"
