"""The inputs of action.yml, and the files that a step may write."""

import re
from pathlib import Path

import pytest
import yaml
from opening import BASE, opened
from stepping import ACTION, ROOT, Stage, on_stage

from bot.action import event, files
from bot.config.action import Inputs, RunnerVariables, Step, step
from bot.errors import ConfigError, UsageError
from bot.values import IgnoredDelivery, ReviewJob

STEPS = ACTION["runs"]["steps"]


def test_scripts_contain_no_expressions() -> None:
    """Inputs and event texts reach a script only as variables, so they are never run as shell code."""
    assert not [step["id"] for step in STEPS if "${{" in step.get("run", "")]


def test_every_input_is_passed_and_every_variable_is_read() -> None:
    """Every input is passed to the program, which reads every variable that it is passed."""
    text = (ROOT / "action.yml").read_text()
    assert [name for name in ACTION["inputs"] if f"inputs.{name} " not in text] == []
    prefix = "DEEPREPO_ACTION_"
    handed = {name.removeprefix(prefix).lower() for name in STEPS[-1]["env"] if name.startswith(prefix)}
    assert handed == set(Inputs.model_fields)


def test_python_starts_isolated_from_the_workspace() -> None:
    """With -I, neither the workspace nor a variable can make Python import another module."""
    for each in STEPS:
        starts = re.findall(r'"\$(?:BASE_PYTHON|PLACE/bin/python)" (\S+)', each.get("run", ""))
        assert set(starts) - {"-I", "install"} == set()  # `pip --python PLACE install`, without any PYTHON variable


@on_stage(BASE)
async def test_hostile_inputs_run_no_code_and_reveal_no_secret(at: Stage) -> None:
    """Shell code, runner commands and output syntax stay text; a provider's key is used but never shown."""
    _, body = await opened(at)
    evil = f"$(touch {at.folder}/pwned)`touch {at.folder}/pwned`'\"; touch {at.folder}/pwned #"
    ran = await at.run("pull_request", body, fail_on=f"high\n::add-mask::x\n{evil}")
    assert (ran.code, [name for name, _, _ in ran.orders]) == (2, ["error"])
    assert "the input fail-on" in ran.orders[0][2]

    with pytest.raises(UsageError, match="cannot be written: File name too long"):
        await at.told("pull_request", body, sarif="x" * 300)

    secret = "gsk_a-pretended-key-of-a-provider"
    ran = await at.run("pull_request", body, sarif="$(touch p)`touch p`'; touch p #", api_key=secret, provider="groq")
    assert ran.code == 0
    assert ran.outputs["sarif"].startswith(str(at.workspace))
    assert secret not in f"{ran}{at.gh.requests}{at.gh.pull(1)}"


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("BUDGET", "much", "the input budget"),
        ("STRATEGY", "quick", "the input strategy"),
        ("QUOTA", "-1", "the input quota"),
        ("CONFIG", "../secrets.yml", "the input config: this must be a path inside the repository"),
        ("PULL_REQUEST", "x", "the input pull-request"),
        ("FULL", "perhaps", "the input full"),
    ],
)
def test_invalid_input_is_reported_by_its_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, value: str, says: str
) -> None:
    """The error does not repeat the input's value."""
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "event"))
    monkeypatch.setenv("DEEPREPO_ACTION_GITHUB_TOKEN", "ghs_x")
    monkeypatch.setenv(f"DEEPREPO_ACTION_{name}", value)
    with pytest.raises(ConfigError, match=says) as raised:
        step()
    assert "secrets.yml" not in str(raised.value)


def test_key_without_a_provider_is_refused() -> None:
    """Without a provider, a key is never sent anywhere."""
    from bot.wiring import action as parts

    with pytest.raises(UsageError, match="its provider is unknown"):
        parts.set_api_key(Inputs.model_validate({"github_token": "ghs_x", "api_key": "k"}))


def runner(folder: Path) -> RunnerVariables:
    told = {"github_event_name": "x", "github_event_path": folder, "github_workspace": folder / "w"}
    return RunnerVariables.model_validate({**told, "runner_temp": folder / "t"})


def test_output_file_outside_the_workspace_or_through_a_symlink_is_refused(tmp_path: Path) -> None:
    """Symbolic links in the workspace are neither followed nor written through."""
    at = runner(tmp_path)
    for name in ("w/reports", "t", "elsewhere"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "elsewhere/kept").write_text("kept")
    (tmp_path / "w/folder").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "w/linked.json").symlink_to(tmp_path / "elsewhere/kept")

    files.write(Path("out.json"), "said", at)
    assert (tmp_path / "w/out.json").read_text() == "said"
    assert files.writable_path(tmp_path / "t/x", at) == tmp_path / "t/x"
    for wrong in ("linked.json", "folder/x", ".git/x", "../elsewhere/x", "nowhere/x", "reports", "/etc/x"):
        with pytest.raises(UsageError, match=r"cannot be (written|used)|must be in the workspace"):
            files.writable_path(Path(wrong), at)
        with pytest.raises(UsageError):
            files.write(Path(wrong), "said", at)
    assert (tmp_path / "elsewhere/kept").read_text() == "kept"


def review_ask(tmp_path: Path, name: str, payload: str, **more: str) -> ReviewJob | IgnoredDelivery:
    (tmp_path / "event").write_text(payload)
    told = {"github_event_name": name, "github_event_path": tmp_path / "event", "github_workspace": tmp_path, **more}
    inputs = Inputs.model_validate({"github_token": "x"})
    return event.read(Step(inputs, RunnerVariables.model_validate(told)))


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("pull_request", "{}"),
        ("pull_request_target", '{"action": ["x"]}'),
        ("pull_request", '{"action": "labeled", "pull_request": 3}'),
        ("issue_comment", '{"action": "created", "comment": {"body": "/deeprepo review"}}'),
        ("pull_request_review", '{"action": "submitted"}'),
        ("merge_group", '{"action": "checks_requested"}'),
    ],
)
def test_unreadable_event_ends_with_a_reason(tmp_path: Path, name: str, payload: str) -> None:
    """The step ends with a reason, whatever the event file contains."""
    assert isinstance(review_ask(tmp_path, name, payload), IgnoredDelivery)


def test_docs_and_examples_use_only_existing_inputs_and_outputs() -> None:
    """docs/action.md lists every input and output, and the example workflows use no others."""
    page = (ROOT / "docs/action.md").read_text()
    named = set(
        re.findall(r"`([a-z-]+)`", "\n".join(row.split(" | ")[0] for row in page.splitlines() if row[:1] == "|"))
    )
    assert {*ACTION["inputs"], *ACTION["outputs"]} - named == set()
    for path in (ROOT / "docs/workflows").glob("*.yml"):
        for job in yaml.safe_load(path.read_text())["jobs"].values():
            ours = [step for step in job["steps"] if "/deeprepo@" in step.get("uses", "")]
            assert all(set(step.get("with", {})) <= set(ACTION["inputs"]) for step in ours), path.name
            assert ours, path.name
