import json

import pytest
from cli.recorded import deeprepo
from fakes import Repository
from families import few

FORMS = ".deeprepo/templates"


def review(repository: Repository) -> tuple[list[tuple[str, str, int, str]], list[str]]:
    """Return the findings and the notes of an offline review by the command line."""
    done = deeprepo("review", "HEAD~1..HEAD", "--format", "json", cwd=repository.folder)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    found = [(each["severity"], each["path"], each["start"], each["title"]) for each in told["findings"]]
    return found, told["notes"]


@pytest.mark.parametrize(
    ("path", "text", "severity", "line", "title"),
    few(
        [
            (".deeprepo.yml", "language: de\nquota: many\n", "medium", 2, "quota: write a whole number"),
            (".deeprepo.yml", "language: de\nfailon: high\n", "medium", 2, "unknown key failon; did you mean fail_on"),
            (".deeprepo.yml", "a: [\n", "medium", 1, "not valid YAML"),
            (".deeprepo.yaml", "quota: 3\n", "medium", 1, "is not read"),
            (
                f"{FORMS}/summary.md.j2",
                "# Review\n{% if findings %}\n{% endfor %}\n",
                "medium",
                3,
                "unknown tag 'endfor'",
            ),
            (f"{FORMS}/finding.md.j2", "{{ title }}\n{{ why | loud }}\n", "medium", 2, "No filter named 'loud'"),
        ],
        0,
        1,
        4,
    ),
)
def test_mistake_in_changed_settings_is_reported(
    repository: Repository, path: str, text: str, severity: str, line: int, title: str
) -> None:
    """A mistake in changed settings is reported; the review itself uses the base branch's settings."""
    repository.commit({".deeprepo.yml": "quota: 2\n", "a.py": "x = 1\n"})
    repository.commit({path: text})
    ((how, where, start, said),), _ = review(repository)

    assert (how, where, start) == (severity, path, line)
    assert title in said


def test_valid_settings_are_not_reported(repository: Repository) -> None:
    """Valid settings produce no finding."""
    repository.commit({"a.py": "x = 1\n"})
    repository.commit({".deeprepo.yml": "quota: 3\n"})

    assert review(repository)[0] == []
