from pathlib import Path

from fakes import Repository
from recorded import deeprepo


def explained(repository: Repository, **variables: str) -> dict[str, str]:
    """Return the rows of `deeprepo config --explain`, keyed by setting."""
    done = deeprepo("config", "--explain", cwd=repository.folder, **variables)
    assert done.returncode == 0
    return {line.split()[0]: line for line in done.stdout.splitlines()}


def test_config_explains_each_value(repository: Repository) -> None:
    """Each row has a setting's value as a file would state it, and its source."""
    repository.commit({".deeprepo.yml": "quota: 2\n"})
    lines = explained(repository, DEEPREPO_USD="0.25")
    assert lines["quota"].split()[1] == "2"
    assert "[.deeprepo.yml]" in lines["quota"]
    assert lines["budget.usd"].split() == ["budget.usd", "0.25", "[environment]"]
    assert lines["verify"].split() == ["verify", "true", "[default]"]
    assert lines["models.root"].split() == ["models.root", "(not", "set)", "[default]"]


def test_config_names_the_models_that_a_key_selects(repository: Repository) -> None:
    """Without a configured model, a key selects its provider's default models; the key is not shown."""
    repository.commit({"a.py": "a = 1\n"})
    lines = explained(repository, OPENAI_API_KEY="not-shown")
    assert lines["models.root"].split()[1].startswith("openai/")
    assert lines["models.worker"].split()[1].startswith("openai/")
    assert "[the configured key]" in lines["models.root"]
    assert not any("not-shown" in line for line in lines.values())


def defaults(repository: Repository, folder: Path, origin: str = "acme/.deeprepo") -> dict[str, str]:
    """Clone an organization's defaults, and return the variable that names the clone."""
    clone = Repository(folder)
    clone.git("init", "-qb", "main")
    clone.commit({".deeprepo.yml": "quota: 2\nfail_on: high\nenforce: [fail_on]\n"})
    clone.git("remote", "add", "origin", f"https://github.com/{origin}.git")
    repository.git("remote", "add", "origin", "git@github.com:Acme/shop.git")
    return {"DEEPREPO_ORGANIZATION": str(folder)}


def test_config_shows_organization_defaults(repository: Repository, tmp_path: Path) -> None:
    """Defaults are read from the clone's HEAD, and enforced ones override the repository's file."""
    repository.commit({".deeprepo.yml": "fail_on: critical\n"})
    lines = explained(repository, **defaults(repository, tmp_path / "defaults"))
    assert lines["quota"].split(maxsplit=2)[1:] == ["2", "[.deeprepo.yml of acme/.deeprepo]"]
    assert lines["fail_on"].split(maxsplit=2)[1:] == ["high", "[.deeprepo.yml of acme/.deeprepo (enforced)]"]
