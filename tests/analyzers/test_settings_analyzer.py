import json

import pytest
from cli.recorded import deeprepo
from fakes import Repository
from families import few

IGNORES = ".deeprepo/ignore.yml"
FORMS = ".deeprepo/templates"
ENTRY = "- fingerprint: 0123456789abcdef\n  reason: known\n"


def review(repository: Repository) -> tuple[list[tuple[str, str, int, str]], list[str]]:
    """The findings of an offline review as a user gets it, and its notes."""
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
                IGNORES,
                f"{ENTRY}- pth: a.py\n  reason: r\n",
                "medium",
                3,
                "entry 2 is not used: pth: unknown key",
            ),
            (IGNORES, "ignore: a.py\n", "medium", 1, "must contain a list of entries"),
            (".deeprepo/ignore.yaml", ENTRY, "medium", 1, "is not read"),
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
        7,
    ),
)
def test_a_change_of_the_settings_is_checked_before_it_counts(
    repository: Repository, path: str, text: str, severity: str, line: int, title: str
) -> None:
    """The base branch still has the old ones, so the review itself goes through."""
    repository.commit({".deeprepo.yml": "quota: 2\n", "a.py": "x = 1\n"})
    repository.commit({path: text})
    ((how, where, start, said),), _ = review(repository)

    assert (how, where, start) == (severity, path, line)
    assert title in said


def test_settings_that_are_right_are_silent(repository: Repository) -> None:
    """A correction of a wrong file too."""
    repository.commit({"a.py": "x = 1\n"})
    repository.commit({".deeprepo.yml": "quota: 3\n", IGNORES: ENTRY})

    assert review(repository)[0] == []


def test_settings_under_another_name_are_a_note_in_every_review(repository: Repository) -> None:
    """Their author would wait for them to take effect."""
    repository.commit({".deeprepo.yaml": "quota: 3\n", "a.py": "x = 1\n"})
    repository.commit({"a.py": "x = 2\n"})
    found, notes = review(repository)

    assert found == []
    assert ".deeprepo.yaml is not read. Rename it to .deeprepo.yml." in notes
