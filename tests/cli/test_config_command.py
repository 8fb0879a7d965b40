import json
from pathlib import Path

from fakes import Repository
from recorded import deeprepo


def explained(repository: Repository, **variables: str) -> dict[str, str]:
    """The rows of `deeprepo config --explain`, by setting."""
    done = deeprepo("config", "--explain", cwd=repository.folder, **variables)
    assert done.returncode == 0
    return {line.split()[0]: line for line in done.stdout.splitlines()}


def test_config_explains_each_value(repository: Repository) -> None:
    """The value as the file would have it, and where it comes from."""
    repository.commit({".deeprepo.yml": "quota: 2\n"})
    lines = explained(repository, DEEPREPO_USD="0.25")
    assert lines["quota"].split()[1] == "2"
    assert "[.deeprepo.yml of the base branch]" in lines["quota"]
    assert lines["budget.usd"].split() == ["budget.usd", "0.25", "[environment]"]
    assert lines["verify"].split() == ["verify", "true", "[default]"]
    assert lines["models.root"].split() == ["models.root", "(none)", "[default]"]


def test_config_explains_when_a_review_starts(repository: Repository) -> None:
    """The triggers stand in the list too."""
    repository.commit({".deeprepo.yml": "triggers: {drafts: true}\n"})
    lines = explained(repository)
    assert lines["triggers.drafts"].split() == [
        "triggers.drafts",
        "true",
        "[.deeprepo.yml",
        "of",
        "the",
        "base",
        "branch]",
    ]
    assert lines["triggers.bots"].split() == ["triggers.bots", "false", "[default]"]


def test_the_schema_is_printed_without_a_repository(tmp_path: Path) -> None:
    """For an editor, wherever it is asked for."""
    done = deeprepo("config", "--schema", cwd=tmp_path)
    assert json.loads(done.stdout)["title"] == ".deeprepo.yml"


def test_config_names_the_models_that_a_key_brings(repository: Repository) -> None:
    """Where nobody names a model and a key is set, the provider's usual pair is shown, and never the key."""
    repository.commit({"a.py": "a = 1\n"})
    lines = explained(repository, OPENAI_API_KEY="not-shown")
    assert lines["models.root"].split()[1].startswith("openai/")
    assert lines["models.worker"].split()[1].startswith("openai/")
    assert "[the key that is set]" in lines["models.root"]
    assert not any("not-shown" in line for line in lines.values())


def test_config_needs_no_commit(repository: Repository) -> None:
    """Before the first one there is no file to read: the defaults and the environment are shown."""
    lines = explained(repository, DEEPREPO_USD="0.25")
    assert lines["budget.usd"].split() == ["budget.usd", "0.25", "[environment]"]


def test_config_reports_a_file_that_no_review_uses_yet(repository: Repository) -> None:
    """Somebody has changed it and wonders why nothing happens."""
    repository.commit({".deeprepo.yml": "quota: 2\n"})
    assert deeprepo("config", cwd=repository.folder).stderr == ""
    (repository.folder / ".deeprepo.yml").write_text("quota: 3\n")
    assert ".deeprepo.yml differs from the one at the tip" in deeprepo("config", cwd=repository.folder).stderr
