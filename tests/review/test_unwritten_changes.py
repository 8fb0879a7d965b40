"""A member that means something else though its own line stays: its uses are open."""

from collections.abc import Mapping

import pytest

GO = "package store\n\ntype Color int\n\nconst (\n\tRed Color = iota\n\tGreen // the second\n\tBlue\n)\n\nconst (\n\tOne = 1\n\tTwo = 2\n)\n"
GO_USE = 'package main\n\nimport "ex.com/s/store"\n\nfunc main() { println(store.Blue, store.Two) }\n'
GO_PLACES = ("store/a.go", GO, "cmd/main.go", GO_USE)
TS = (
    "src/a.ts",
    "export enum Color {\n  Red,\n  Green,\n  Blue,\n}\n",
    "src/b.ts",
    'import { Color } from "./a";\n\nconsole.log(Color.Blue);\n',
)
TS_WRITTEN = ("src/a.ts", TS[1].replace("Green,", "Green = 7,"), *TS[2:])
PYTHON = (
    "a.py",
    "import enum\n\n\nclass Color(enum.IntEnum):\n    RED = enum.auto()\n    BLUE = enum.auto()\n",
    "b.py",
    "from a import Color\n\nprint(int(Color.BLUE))\n",
)
PYTHON_TEXTS = ("a.py", PYTHON[1].replace("IntEnum", "StrEnum"), *PYTHON[2:])
CSHARP = (
    "a.cs",
    "namespace Shop;\npublic enum Color\n{\n    Red,\n    Green,\n    Blue,\n}\n",
    "b.cs",
    "namespace Shop;\npublic class B\n{\n    public int F() => (int)Color.Blue;\n}\n",
)
RUBY = (
    "app/user.rb",
    "class User\n  def full_name\n    @n\n  end\n\n  def full_name=(v)\n    @n = v\n  end\nend\n",
    "lib/b.rb",
    'require_relative "../app/user"\n\nclass B\n  def f\n    user = User.new\n    user.full_name = "x"\n  end\nend\n',
)
KOTLIN = (
    "shop/V.kt",
    "package shop\n\nclass V {\n    operator fun plus(o: V): V = o\n    operator fun get(k: String): Int = 1\n    fun size(k: Int): Int = k\n}\n",
    "web/B.kt",
    'package web\n\nimport shop.V\n\nfun f(a: V, b: V): Int = (a + b)["x"]\n',
)
SCALA = (
    "shop/Load.scala",
    "package shop\n\nclass Load {\n  def apply(id: Int): Int = id\n}\n",
    "web/B.scala",
    "package web\n\nimport shop.Load\n\nclass B(load: Load) {\n  def f = load(1)\n}\n",
)
RUBY_WRITER = (
    "app/user.rb",
    "class User\n  def full_name=(v)\n    @n = v\n  end\n\n  def x\n  end\nend\n",
    *RUBY[2:],
)
PROPERTY_CLASS = """class User:
    def __init__(self):
        self.limit = 1

    @property
    def name(self):
        return self._n

    @name.setter
    def name(self, v):
        self._n = v
"""
PROPERTY_USER = """from a import User


class B:
    def __init__(self):
        self.user = User()

    def f(self):
        self.user.name = 'z'
        self.user.limit = 3
"""
PROPERTY = ("a.py", PROPERTY_CLASS, "b.py", PROPERTY_USER)
SETTER = "\n    @name.setter\n    def name(self, v):\n        self._n = v\n"
LIMIT = "    @property\n    def limit(self):\n        return self._limit\n\n"
WITH_SETTER = f"{LIMIT}    @limit.setter\n    def limit(self, v):\n        self._limit = v\n\n"
FIELD = (
    "a.ts",
    'export class User {\n  fullName = "";\n}\n',
    "b.ts",
    'import { User } from "./a";\n\nexport function f(u: User) {\n  u.fullName = "x";\n}\n',
)
CASES: Mapping[str, tuple[tuple[str, str, str, str], str, str, bool]] = {
    "constant put in": (GO_PLACES, "\tGreen // the second\n", "\tYellow\n\tGreen // the second\n", True),
    "constant taken out": (GO_PLACES, "\tGreen // the second\n", "", True),
    "another start": (GO_PLACES, "= iota", "= iota + 1", True),
    "constant at the end": (GO_PLACES, "\tBlue\n", "\tBlue\n\tYellow\n", False),
    "a remark among constants": (GO_PLACES, "\tGreen // the second\n", "\t// a remark\n\n\tGreen\n", False),
    "constants with values": (GO_PLACES, "\tOne = 1\n", "\tOne = 1\n\tHalf = 5\n", False),
    "member put in": (TS, "  Green,\n", "  Yellow,\n  Green,\n", True),
    "member taken out": (TS, "  Green,\n", "", True),
    "member at the end": (TS, "  Blue,\n", "  Blue,\n  Yellow,\n", False),
    "member before a written value": (TS_WRITTEN, "  Red,\n", "  Red,\n  Yellow,\n", False),
    "auto put in": (PYTHON, "    BLUE", "    GREEN = enum.auto()\n    BLUE", True),
    "auto of texts": (PYTHON_TEXTS, "    BLUE", "    GREEN = enum.auto()\n    BLUE", False),
    "member of C#": (CSHARP, "    Green,\n", "    Yellow,\n    Green,\n", True),
    "setter of Ruby": (RUBY, "\n  def full_name=(v)\n    @n = v\n  end\n", "", True),
    "setter of Ruby without a getter": (RUBY_WRITER, "  def full_name=(v)\n    @n = v\n  end\n\n", "", True),
    "setter of Python": (PROPERTY, SETTER, "", True),
    "setter of Python with another body": (PROPERTY, "self._n = v", "self._n = v or ''", False),
    "attribute that becomes a property": (PROPERTY, "self.limit = 1\n\n", f"self._limit = 1\n\n{LIMIT}", True),
    "attribute with a setter": (PROPERTY, "self.limit = 1\n\n", f"self._limit = 1\n\n{WITH_SETTER}", False),
    "readonly": (FIELD, "fullName", "readonly fullName", True),
    "another initial value": (FIELD, '""', '"z"', False),
    "operator": (KOTLIN, "plus(o: V)", "plus(o: Int)", True),
    "operator with another result": (KOTLIN, "(k: String): Int =", "(k: String): Int? =", True),
    "operator that goes": (KOTLIN, "    operator fun get(k: String): Int = 1\n", "", True),
    "no operator": (KOTLIN, "size(k: Int)", "size(k: Long)", False),
    "apply": (SCALA, "apply(id: Int)", "apply(id: Int, deep: Boolean)", True),
}  # fmt: skip


@pytest.mark.parametrize(("project", "old", "new", "is_open"), CASES.values(), ids=CASES.keys())
def test_what_a_change_elsewhere_makes_of_a_member_opens_its_uses(
    places, project: tuple[str, str, str, str], old: str, new: str, is_open: bool  # noqa: ANN001
) -> None:  # fmt: skip
    """A counted value that moves, a setter that goes, an operator with another contract; what moves nothing opens nothing."""
    home, source, path, user = project
    assert old in source
    before = {"go.mod": "module ex.com/s\n\ngo 1.21\n", home: source, path: user}
    assert (path in places(before, {home: source.replace(old, new)})) is is_open
