"""How a change's files and its pull request's labels set the effort of a review."""

from pathlib import Path

import pytest
from opening import event
from stepping import stage

from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.providers import PerModel, Reply

SETTINGS = 'effort_for: [{paths: ["notes/**"], effort: none}, {label: docs, effort: none}]\n'
NOTHING = Reply(data={"answer": "Read.", "findings": []})


@pytest.mark.parametrize(
    ("path", "labels", "is_read"), [("shop.py", (), True), ("notes/shop.py", (), False), ("shop.py", ("docs",), False)]
)
async def test_effort_none_in_the_settings_calls_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, labels: tuple[str, ...], is_read: bool
) -> None:
    """Despite a key, no model is called, and a note names the setting. Other changes are unaffected."""
    monkeypatch.setenv("COMPATIBLE_API_KEY", "sk-pretended-and-long-enough")

    async with (
        doubles.openai_server(PerModel({"reader": lambda _: NOTHING})) as model,
        stage(tmp_path, {".deeprepo.yml": SETTINGS}) as at,
    ):
        monkeypatch.setenv("DEEPREPO_BASE_URL", model.openai_url)
        await at.repo.commit("feature", {path: "def one():\n    return 1\n"})
        with at.gh.holding() as held:
            await at.repo.open_pull("feature", labels=labels)
        told = await at.told("pull_request", event(held), worker="compatible/reader")
        assert told.review is not None
        assert bool(model.requests) is is_read
        assert (told.review.strategy.name == "offline") is not is_read
        said = any("effort none: `effort_for` of .deeprepo.yml" in note for note in told.review.notes)
        assert said is not is_read
