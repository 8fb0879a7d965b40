"""Removed constants and enum members, in several languages."""

from collections.abc import Mapping

import pytest
from contract_findings import look
from fakes import Repository

Files = Mapping[str, str]
# language -> files before the change, changed files, lines that still use the old name
BROKEN: dict[str, tuple[Files, Files, list[tuple[str, int]]]] = {
    "python constant": (
        {"limits.py": "RETRY_LIMIT = 3\nOTHER = 1\n", "app.py": "import limits\n\nprint(limits.RETRY_LIMIT)\n"},
        {"limits.py": "MAX_RETRIES = 3\nOTHER = 1\n"},
        [("app.py", 3)],
    ),
    "python enum": (
        {
            "color.py": "from enum import Enum\n\n\nclass Color(Enum):\n    RED = 1\n    BLUE = 2\n",
            "app.py": "from color import Color\n\nprint(Color.RED, Color.BLUE)\n",
        },
        {"color.py": "from enum import Enum\n\n\nclass Color(Enum):\n    CRIMSON = 1\n    BLUE = 2\n"},
        [("app.py", 3)],
    ),
    "typescript constant": (
        {
            "limits.ts": "export const retryLimit = 3\n",
            "app.ts": "import { retryLimit } from './limits'\nlog(retryLimit)\n",
        },
        {"limits.ts": "export const maxRetries = 3\n"},
        [("app.ts", 2)],
    ),
    "typescript enum": (
        {
            "color.ts": "export enum Color {\n  Red = 1,\n  Blue,\n}\n",
            "app.ts": "import { Color } from './color'\n\nlog(Color.Red, Color.Blue)\n",
        },
        {"color.ts": "export enum Color {\n  Crimson = 1,\n  Blue,\n}\n"},
        [("app.ts", 3)],
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_removed_constant_or_member_is_reported_where_it_is_used(name: str, repository: Repository) -> None:
    """The finding is at the line that still uses the old name."""
    before, after, places = BROKEN[name]
    found = look(repository.change(dict(before), dict(after)))
    assert [(item.path, item.start) for item in found] == places
    assert {item.rule for item in found} == {"removed-symbol"}


ENUM = "from enum import Enum\n\n\nclass Color(Enum):\n    RED = 1\n    BLUE = 2\n"
APP = "from color import Color\n\nprint(Color.RED)\n"
# why there is no finding -> files before the change, changed files
SILENT: dict[str, tuple[Files, Files]] = {
    "a base class of the tree holds it": (
        {"base.py": "class Colors:\n    RED = 1\n", "color.py": "class Color:\n    RED = 1\n", "app.py": APP},
        {"color.py": "from base import Colors\n\n\nclass Color(Colors):\n    pass\n"},
    ),
    "the base class comes from a library": (
        {"color.py": "from kit import Choices\n\n\nclass Color(Choices):\n    RED = 1\n", "app.py": APP},
        {"color.py": "from kit import Choices\n\n\nclass Color(Choices):\n    BLUE = 1\n"},
    ),
    "what is called Enum is the tree's own": (
        {"enums.py": "class Enum:\n    RED = 1\n", "color.py": ENUM.replace("from enum", "from enums"), "app.py": APP},
        {"color.py": ENUM.replace("from enum", "from enums").replace("RED", "CRIMSON")},
    ),
    "names are made up on demand": (
        {"color.py": ENUM, "app.py": APP},
        {"color.py": "class Color:\n    def __getattr__(self, name): ...\n"},
    ),
    "the use asks first": (
        {
            "color.py": ENUM,
            "app.py": "from color import Color\n\ntry:\n    print(Color.RED)\nexcept AttributeError:\n    pass\n",
        },
        {"color.py": ENUM.replace("RED", "CRIMSON")},
    ),
    "another enumeration of that name": (
        {"color.py": ENUM, "other.py": ENUM, "app.py": APP.replace("from color", "from other")},
        {"color.py": ENUM.replace("RED", "CRIMSON")},
    ),
    "a constant that is handed on from its new place": (
        {"limits.py": "RETRIES = 3\n", "app.py": "from limits import RETRIES\n\nprint(RETRIES)\n"},
        {"limits.py": "from new import RETRIES\n", "new.py": "RETRIES = 3\n"},
    ),
}


@pytest.mark.parametrize("name", SILENT)
def test_name_that_another_source_may_provide_is_not_reported(name: str, repository: Repository) -> None:
    """Nothing is reported if a base class, `__getattr__` or another module may still provide the name."""
    before, after = SILENT[name]
    assert [item.title for item in look(repository.change(dict(before), dict(after)))] == []
