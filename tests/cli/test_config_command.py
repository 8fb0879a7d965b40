import json
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


def test_config_ends_with_hints_on_where_to_read_more(repository: Repository) -> None:
    """Hints on where to read more go to standard error, so that scripts do not see them."""
    plain, explained = (deeprepo("config", *words, cwd=repository.folder) for words in ((), ("--explain",)))
    assert "add --explain" in plain.stderr
    assert "run `deeprepo config --reference`" in plain.stderr
    assert "--explain" not in explained.stderr
    assert "config --reference" in explained.stderr
    assert "--reference" not in plain.stdout


def test_schema_is_printed_without_a_repository(tmp_path: Path) -> None:
    """`config --schema` works in any folder, so that editors can use it."""
    done = deeprepo("config", "--schema", cwd=tmp_path)
    assert json.loads(done.stdout)["title"] == ".deeprepo.yml"


def test_config_names_the_models_that_a_key_selects(repository: Repository) -> None:
    """Without a configured model, a key selects its provider's default models; the key is not shown."""
    repository.commit({"a.py": "a = 1\n"})
    lines = explained(repository, OPENAI_API_KEY="not-shown")
    assert lines["models.root"].split()[1].startswith("openai/")
    assert lines["models.worker"].split()[1].startswith("openai/")
    assert "[the configured key]" in lines["models.root"]
    assert not any("not-shown" in line for line in lines.values())


def test_config_needs_no_commit(repository: Repository) -> None:
    """Before the first commit there is no file, so only defaults and environment are shown."""
    lines = explained(repository, DEEPREPO_USD="0.25")
    assert lines["budget.usd"].split() == ["budget.usd", "0.25", "[environment]"]


def test_config_warns_about_a_file_that_no_review_uses_yet(repository: Repository) -> None:
    """An edited file that is not on the base branch yet gets a warning."""
    repository.commit({".deeprepo.yml": "quota: 2\n"})
    assert "differs from" not in deeprepo("config", cwd=repository.folder).stderr
    (repository.folder / ".deeprepo.yml").write_text("quota: 3\n")
    assert ".deeprepo.yml differs from the file on the base branch" in deeprepo("config", cwd=repository.folder).stderr


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


def test_defaults_of_another_owner_are_not_used(repository: Repository, tmp_path: Path) -> None:
    """The variable may be set in a shell profile, while the repository belongs to someone else."""
    repository.commit({"a.py": "a = 1\n"})
    lines = explained(repository, **defaults(repository, tmp_path / "defaults", "other/.deeprepo"))
    assert lines["quota"].split() == ["quota", "(not", "set)", "[default]"]


def test_missing_clone_of_the_defaults_is_reported(repository: Repository, tmp_path: Path) -> None:
    """The repository's own settings apply, and the reason is shown."""
    repository.commit({".deeprepo.yml": "quota: 1\n"})
    done = deeprepo("config", cwd=repository.folder, DEEPREPO_ORGANIZATION=str(tmp_path / "nowhere"))
    assert done.returncode == 0
    assert "DEEPREPO_ORGANIZATION" in done.stderr
    assert "is not a folder" in done.stderr


def test_variable_without_a_matching_setting_is_named(repository: Repository) -> None:
    """A mistyped cap would silently limit nothing. Server, Action and provider variables are known."""
    repository.commit({"a.py": "a = 1\n"})
    known = {"DEEPREPO_DATABASE_URL_FILE": "x", "DEEPREPO_BASE_URL_GROQ": "http://x", "DEEPREPO_ACTION_EFFORT": "low"}
    done = deeprepo("config", cwd=repository.folder, DEEPREPO_CAP_USD_DAY="5", DEEPREPO_COLOUR="red", **known)
    assert done.returncode == 0
    assert [row for row in done.stderr.splitlines() if row.startswith("warning")] == [
        "warning: DEEPREPO_CAP_USD_DAY is not a deeprepo setting; did you mean DEEPREPO_CAP_USD_PER_DAY?",
        "warning: DEEPREPO_COLOUR is not a deeprepo setting; run `deeprepo config --reference` to list all settings",
    ]
