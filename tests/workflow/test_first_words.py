"""What a server's check run shows while a slow model has not answered yet."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from reported import reported
from whole import BROKEN, whole

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply


async def test_check_run_lists_files_and_static_findings_before_any_model_reply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the model replies, the check run lists changed and dependent files and static findings."""
    async with doubles.openai_server(Reply(fault="hang")) as model:
        monkeypatch.setenv("DEEPREPO_WORKER", "compatible/worker")
        monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
        async with whole(tmp_path) as at:
            number = await at.opened(files=BROKEN)
            await at.until(lambda: any("1 finding so far" in (one.summary or "") for one in at.gh.pull(number).checks))
            (check,) = at.gh.pull(number).checks
            await at.repo.close(number)

            assert check.status == "in_progress"
            assert model.count == 1
            assert "Reading 1 changed file: `shop/price.py`" in check.summary
            assert "1 unchanged file depends on the change: `shop/cart.py`" in check.summary
            assert "**1 finding so far, proven by static checks or reported by several model passes**" in check.summary
            assert "`shop/cart.py`:5" in check.summary


RATES = "".join(
    f"def rate_{n}(amount):\n    # rates of the year {2000 + n}, in percent of the amount\n    return amount * {n} / 100\n\n\n"
    for n in range(40)
)
AGREED = reported("shop/rates.py", "    return amount * 7 / 100", 21, "The rate of 2007 loses pennies")
SINGLE = reported("shop/rates.py", "    return amount * 31 / 100", 93, "A missing amount crashes the rate of 2031")


async def test_check_run_lists_findings_of_several_passes_before_confirmation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A finding of several passes is listed immediately, that of a single pass only counted."""
    requests: list[str] = []

    def answer(body: Mapping[str, Any]) -> Reply:
        text = str(body["messages"])
        requests.append("confirmation" if "The claim, about" in text else "pass")
        if requests[-1] == "confirmation":
            return Reply(fault="hang")
        found = [AGREED] if "You read the diff of a pull request" in text else [AGREED, SINGLE]
        return Reply(data={"answer": "Rates.", "findings": found})

    async with doubles.openai_server(answer) as model:
        monkeypatch.setenv("DEEPREPO_WORKER", "compatible/worker")
        monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
        async with whole(tmp_path) as at:
            number = await at.opened(files={"shop/rates.py": RATES})
            await at.until(lambda: any("1 finding so far" in (one.summary or "") for one in at.gh.pull(number).checks))
            (check,) = at.gh.pull(number).checks
            await at.repo.close(number)

            assert requests.count("pass") == 2
            assert AGREED["title"] in check.summary
            assert SINGLE["title"] not in check.summary
            assert "1 more finding is being confirmed." in check.summary
