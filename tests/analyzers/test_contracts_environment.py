"""Variables of the environment that have a new name in the code alone."""

import pytest
from contract_findings import causes
from fakes import Repository

READ = 'import os\n\nKEY = os.environ.get("{}")\n'
COMPOSE = "services:\n  shop:\n    environment:\n      SHOP_API_KEY: x\n"


def test_a_variable_with_a_new_name_is_told_where_the_old_one_is_set(repository: Repository) -> None:
    """Compose, a table of the documents and an example are one hint; the file of the change is not."""
    before = {
        "shop.py": READ.format("SHOP_API_KEY"),
        "docker-compose.yml": COMPOSE,
        "docs/settings.md": "SHOP_API_KEY was new.\n\n| Variable |\n|---|\n| `SHOP_API_KEY` |\n",
        ".env.example": "SHOP_API_KEY=x\n",
        "CHANGELOG.md": "- `SHOP_API_KEY` is new\n",
    }
    (finding,) = causes(repository.change(before, {"shop.py": READ.format("SHOP_KEY")}))
    assert (
        finding.title
        == "The code reads `SHOP_KEY` in the place of `SHOP_API_KEY` now, but .env.example still has the old name (and 2 more files)"
    )
    assert (finding.rule, finding.verdict.value, finding.start) == ("environment-variable", "unproven", 1)
    assert [(item.path, item.line) for item in finding.evidence] == [("docker-compose.yml", 4), ("docs/settings.md", 5)]


@pytest.mark.parametrize(
    "more",
    [
        {"other.py": READ.format("SHOP_API_KEY")},
        {"docker-compose.yml": COMPOSE.replace("API_KEY", "KEY")},
        {"shop.py": READ.format("SHOP_KEY") + 'OLD = os.environ.get("SHOP_API_KEY")\n'},
        {"shop.py": "KEY = None\n"},
    ],
    ids=["read elsewhere", "set under the new name", "still read as well", "no new name"],
)
def test_a_variable_that_is_still_read_or_is_set_anew_is_not_told(repository: Repository, more: dict[str, str]) -> None:
    """Nor is one that only went: what is set may be another program's."""
    before = {"shop.py": READ.format("SHOP_API_KEY"), "docker-compose.yml": COMPOSE}
    assert causes(repository.change(before, {"shop.py": READ.format("SHOP_KEY"), **more})) == []
