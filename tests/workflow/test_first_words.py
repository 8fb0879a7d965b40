"""What the check run of a server's review says while a slow model still reads."""

from pathlib import Path

import pytest
from whole import BROKEN, whole

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import Reply


async def test_the_check_run_says_what_is_read_before_any_model_has_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files, parts, who depends on them, and what code has proven: while the model's reply is still awaited."""
    async with doubles.openai_server(Reply(fault="hang")) as model:
        monkeypatch.setenv("DEEPREPO_WORKER", "compatible/worker")
        monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
        async with whole(tmp_path) as at:
            number = await at.opened(files=BROKEN)
            await at.until(
                lambda: any("Static checks have reported" in (one.summary or "") for one in at.gh.pull(number).checks)
            )
            (check,) = at.gh.pull(number).checks
            await at.repo.close(number)

            assert check.status == "in_progress"
            assert model.count == 1
            assert "Reading 1 changed file: `shop/price.py`" in check.summary
            assert "1 unchanged file depends on the change: `shop/cart.py`" in check.summary
            assert "**Static checks have reported 1 finding so far**" in check.summary
            assert "`shop/cart.py`:5" in check.summary
