"""Members that move to a base class which is named below the line with the class's own name."""

from collections.abc import Mapping

import pytest
from contract_findings import look, open_uses
from fakes import Repository
from families import few

# The base class, the subclass and its user. MEMBER marks where the member is inserted.
Layout = Mapping[str, str]
LAYOUTS: dict[str, tuple[Layout, str]] = {
    "Kotlin": (
        {
            "a/Base.kt": "package a\n\nabstract class Base(\n    private val x: Int,\n) {\n    fun one() = 1\nMEMBER}\n",
            "a/Kid.kt": "package a\n\nclass Kid(\n    val y: Int,\n    x: Int,\n) : Base(x) {\n    fun two() = 2\nMEMBER}\n",
            "a/User.kt": "package a\n\nfun use(kid: Kid) = kid.widthOfAll(3)\n",
        },
        "    fun widthOfAll(n: Int) = n\n",
    ),
    "Kotlin interfaces": (
        {
            "a/Base.kt": "package a\n\ninterface Base {\nMEMBER}\n",
            "a/Kid.kt": "package a\n\ninterface Kid :\n    Base,\n    Other {\n    fun two(): Int\nMEMBER}\n",
            "a/User.kt": "package a\n\nfun use(kid: Kid) = kid.widthOfAll(3)\n",
        },
        "    fun widthOfAll(n: Int): Int\n",
    ),
    "Python": (
        {
            "a/base.py": "class Root(\n    object,\n):\n    x = 1\nMEMBER",
            "a/kid.py": "from a.base import Root\n\n\nclass Kid(\n    Root,\n):\n    y = 1\nMEMBER",
            "a/user.py": "from a.kid import Kid\n\n\ndef use(kid: Kid):\n    return kid.width_of_all(3)\n",
        },
        "\n    def width_of_all(self, n):\n        return n\n",
    ),
    "C#": (
        {
            "a/Base.cs": "namespace A;\npublic class Base(\n    int x\n)\n{\nMEMBER}\n",
            "a/Kid.cs": "namespace A;\npublic class Kid\n    : Base\n{\n    public int Two() => 2;\nMEMBER}\n",
            "a/User.cs": "namespace A;\npublic class User\n{\n    public int Go(Kid kid) => kid.WidthOfAll(3);\n}\n",
        },
        "    public int WidthOfAll(int n) => n;\n",
    ),
    "Swift": (
        {
            "Sources/Base.swift": "class Base {\nMEMBER}\n",
            "Sources/Kid.swift": "final class Kid:\n    Base,\n    Sendable\n{\n    func two() -> Int { 2 }\nMEMBER}\n",
            "Sources/User.swift": "func use(kid: Kid) -> Int {\n    return kid.widthOfAll(3)\n}\n",
        },
        "    func widthOfAll(_ n: Int) -> Int { return n }\n",
    ),
    "TypeScript": (
        {
            "src/base.ts": "export class Base {\nMEMBER}\n",
            "src/kid.ts": 'import { Base } from "./base";\n\nexport class Kid\n  extends Base\n{\n  two() { return 2; }\nMEMBER}\n',
            "src/user.ts": 'import { Kid } from "./kid";\n\nexport function go(kid: Kid) {\n  return kid.widthOfAll(3);\n}\n',
        },
        "  widthOfAll(n: number) { return n; }\n",
    ),
    "C++": (
        {
            "src/base.hpp": "#pragma once\nclass Base {\npublic:\nMEMBER};\n",
            "src/kid.hpp": '#pragma once\n#include "base.hpp"\nclass Kid\n    : public Base\n{\npublic:\n    int two();\nMEMBER};\n',
            "src/user.cpp": '#include "kid.hpp"\nint go(Kid &kid) { return kid.widthOfAll(3); }\n',
        },
        "    int widthOfAll(int n) { return n; }\n",
    ),
}


@pytest.mark.parametrize("language", few(LAYOUTS, 0, 2, 6))
@pytest.mark.parametrize("moved", [True, False])
def test_member_is_found_in_a_base_named_on_a_later_line(repository: Repository, language: str, *, moved: bool) -> None:
    """If the member moves to the base, nothing is reported; if it is deleted, its user is."""
    layout, member = LAYOUTS[language]
    base, kid, user = layout
    before = {path: text.replace("MEMBER", member if path == kid else "") for path, text in layout.items()}
    after = {base: layout[base].replace("MEMBER", member if moved else ""), kid: layout[kid].replace("MEMBER", "")}
    change = repository.change(before, after)
    named = {one.path for one in (*look(change), *open_uses(change))}
    assert named == (set() if moved else {user})


def test_module_in_the_same_file_takes_precedence(repository: Repository) -> None:
    """A call resolves to the module `Util` in its own file, not to another file's `Auth.Util`."""
    own = "defmodule Util do\n  def random_string(n) do\n    n\n  end\nend\n\n"
    user = "config :shop, key: Util.random_string(64)\n"
    other = "defmodule Shop.Auth.Util do\n  def random_string(n) do\n    n\n  end\n\n  def code do\n    1\n  end\nend\n"
    gone = other.replace("  def random_string(n) do\n    n\n  end\n\n", "")
    change = repository.change(
        {"lib/shop/auth/util.ex": other, "config/runtime.exs": f"import Config\n\n{own}{user}"},
        {"lib/shop/auth/util.ex": gone},
    )
    assert [*look(change), *(use for use in open_uses(change) if use.may_break)] == []
