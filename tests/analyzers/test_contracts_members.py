"""A constant or a member of an enumeration whose name is gone, in every language."""

from collections.abc import Mapping

import pytest
from contract_findings import look
from fakes import Repository

Files = Mapping[str, str]
# language -> files before, what the change writes, the places that still use the old name
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
    "python enum by module": (
        {
            "color.py": "import enum\n\n\nclass Color(enum.StrEnum):\n    RED = 'r'\n",
            "app.py": "import color\n\n\ndef f(c):\n    return c is color.Color.RED\n",
        },
        {"color.py": "import enum\n\n\nclass Color(enum.StrEnum):\n    BLUE = 'r'\n"},
        [("app.py", 5)],
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
    "go constant": (
        {
            "go.mod": "module example.invalid/m\n",
            "limits/limits.go": "package limits\n\nconst RetryLimit = 3\n",
            "main.go": 'package main\n\nimport "example.invalid/m/limits"\n\nfunc main() { print(limits.RetryLimit) }\n',
        },
        {"limits/limits.go": "package limits\n\nconst MaxRetries = 3\n"},
        [("main.go", 5)],
    ),
    "rust enum": (
        {
            "Cargo.toml": '[package]\nname = "m"\n',
            "src/lib.rs": "mod color;\nmod app;\n",
            "src/color.rs": "pub enum Color {\n    Red,\n    Blue,\n}\n",
            "src/app.rs": "use crate::color::Color;\n\npub fn f() -> Color {\n    Color::Red\n}\n",
        },
        {"src/color.rs": "pub enum Color {\n    Crimson,\n    Blue,\n}\n"},
        [("src/app.rs", 4)],
    ),
    "java enum": (
        {
            "src/a/Color.java": "package a;\npublic enum Color {\n  RED,\n  BLUE;\n}\n",
            "src/a/App.java": "package a;\nclass App {\n  Color f() {\n    return Color.RED;\n  }\n}\n",
        },
        {"src/a/Color.java": "package a;\npublic enum Color {\n  CRIMSON,\n  BLUE;\n}\n"},
        [("src/a/App.java", 4)],
    ),
    "java constant": (
        {
            "src/a/Limits.java": "package a;\npublic class Limits {\n  static final int RETRIES = 3;\n}\n",
            "src/a/App.java": "package a;\nclass App {\n  int f() {\n    return Limits.RETRIES;\n  }\n}\n",
        },
        {"src/a/Limits.java": "package a;\npublic class Limits {\n  static final int MOST = 3;\n}\n"},
        [("src/a/App.java", 4)],
    ),
    "kotlin enum": (
        {
            "src/a/Color.kt": "package a\n\nenum class Color {\n    RED,\n    BLUE,\n}\n",
            "src/a/App.kt": "package a\n\nfun f(): Color = Color.RED\n",
        },
        {"src/a/Color.kt": "package a\n\nenum class Color {\n    CRIMSON,\n    BLUE,\n}\n"},
        [("src/a/App.kt", 3)],
    ),
    "csharp enum": (
        {
            "Color.cs": "namespace A;\npublic enum Color {\n  Red,\n  Blue,\n}\n",
            "App.cs": "namespace A;\nclass App {\n  Color F() => Color.Red;\n}\n",
        },
        {"Color.cs": "namespace A;\npublic enum Color {\n  Crimson,\n  Blue,\n}\n"},
        [("App.cs", 3)],
    ),
    "c enum": (
        {
            "color.h": "enum color {\n  COLOR_RED,\n  COLOR_BLUE,\n};\n",
            "app.c": '#include "color.h"\n\nint f(void) {\n  return COLOR_RED;\n}\n',
        },
        {"color.h": "enum color {\n  COLOR_CRIMSON,\n  COLOR_BLUE,\n};\n"},
        [("app.c", 4)],
    ),
    "php enum": (
        {
            "composer.json": '{"autoload": {"psr-4": {"A\\\\": "src/"}}}',
            "src/Color.php": "<?php\nnamespace A;\nenum Color {\n    case Red;\n    case Blue;\n}\n",
            "src/App.php": "<?php\nnamespace A;\nclass App {\n    function f() {\n        return Color::Red;\n    }\n}\n",
        },
        {"src/Color.php": "<?php\nnamespace A;\nenum Color {\n    case Crimson;\n    case Blue;\n}\n"},
        [("src/App.php", 5)],
    ),
    "ruby constant": (
        {
            "limits.rb": "module Limits\n  RETRIES = 3\nend\n",
            "app.rb": "require_relative 'limits'\n\nputs Limits::RETRIES\n",
        },
        {"limits.rb": "module Limits\n  MOST = 3\nend\n"},
        [("app.rb", 3)],
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_constant_or_member_that_is_gone_is_reported_where_it_is_used(name: str, repository: Repository) -> None:
    """The user of the old name is told, in each language."""
    before, after, places = BROKEN[name]
    found = look(repository.change(dict(before), dict(after)))
    assert [(item.path, item.start) for item in found] == places
    assert {item.rule for item in found} == {"removed-symbol"}


ENUM = "from enum import Enum\n\n\nclass Color(Enum):\n    RED = 1\n    BLUE = 2\n"
APP = "from color import Color\n\nprint(Color.RED)\n"
# why nothing is said -> files before, and what the change writes
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
    "the value changes, not the name": ({"color.py": ENUM, "app.py": APP}, {"color.py": ENUM.replace("1", "3")}),
    "another enumeration of that name": (
        {"color.py": ENUM, "other.py": ENUM, "app.py": APP.replace("from color", "from other")},
        {"color.py": ENUM.replace("RED", "CRIMSON")},
    ),
    "a constant that is handed on from its new place": (
        {"limits.py": "RETRIES = 3\n", "app.py": "from limits import RETRIES\n\nprint(RETRIES)\n"},
        {"limits.py": "from new import RETRIES\n", "new.py": "RETRIES = 3\n"},
    ),
    "a merged declaration of typescript": (
        {
            "color.ts": "export enum Color { Red, Blue }\n",
            "app.ts": "import { Color } from './color'\nlog(Color.Red)\n",
        },
        {"color.ts": "export enum Color { Blue }\nexport enum Color { Red = 1 }\n"},
    ),
    "a constant of the same name elsewhere in ruby": (
        {
            "limits.rb": "module Limits\n  RETRIES = 3\nend\n",
            "more.rb": "module Limits\n  OTHER = 3\nend\n",
            "app.rb": "require_relative 'limits'\n\nputs Limits::RETRIES\n",
        },
        {"limits.rb": "module Limits\n  MOST = 3\nend\n", "more.rb": "module Limits\n  RETRIES = 3\nend\n"},
    ),
    "an associated constant of rust": (
        {
            "Cargo.toml": '[package]\nname = "m"\n',
            "src/lib.rs": "mod color;\nmod app;\n",
            "src/color.rs": "pub enum Color {\n    Red,\n    Blue,\n}\n",
            "src/app.rs": "use crate::color::Color;\n\npub fn f() -> Color {\n    Color::Red\n}\n",
        },
        {
            "src/color.rs": "pub enum Color {\n    Blue,\n}\n\nimpl Color {\n    pub const Red: Color = Color::Blue;\n}\n"
        },
    ),
}


@pytest.mark.parametrize("name", SILENT)
def test_nothing_is_said_where_the_name_may_have_a_meaning(name: str, repository: Repository) -> None:
    """When unsure, the checks are silent."""
    before, after = SILENT[name]
    assert [item.title for item in look(repository.change(dict(before), dict(after)))] == []
