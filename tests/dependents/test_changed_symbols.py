from dependents_scene import find
from fakes import Repository

OLD = """
import os

LIMIT = 1


def kept(a):
    return a


def edited(a):
    return a


def widened(a):
    return a


def dropped(a):
    x = a + 1
    y = x + 1
    return y


class Shop:
    name = "x"

    def open(self, hour):
        return hour

    def close(self):
        return 0
"""
NEW = """
import os

LIMIT = 2


def kept(a):
    return a


def edited(a):
    return a + 1


def widened(a, b=1):
    return a


def fresh(a):
    return [a]


class Shop:
    name = "x"

    def open(self, hour):
        return hour + 1

    def shut(self):
        return 0
"""


def test_every_kind_of_change_is_told_apart(repository: Repository) -> None:
    """Added, removed, renamed, a new signature, a new body; what is untouched is not named."""
    found = find(repository.change({"a.py": OLD}, {"a.py": NEW}))

    assert {(item.symbol.name, item.change) for item in found.symbols} == {
        ("LIMIT", "body"),
        ("edited", "body"),
        ("widened", "signature"),
        ("dropped", "removed"),
        ("fresh", "added"),
        ("Shop.open", "body"),
        ("Shop.shut", "renamed"),
    }


def test_both_sides_of_a_definition_are_kept(repository: Repository) -> None:
    """Signatures before and after, each with its lines on its side; the receiver of a method is left out."""
    old, new = (
        "class A:\n    def m(self, a):\n        pass\n",
        "\n\nclass A:\n    def m(self, a, *, b=1):\n        pass\n",
    )
    (item,) = find(repository.change({"a.py": old}, {"a.py": new})).symbols

    assert item.before is not None
    assert item.after is not None
    assert (item.before.side, item.before.start, item.after.side, item.after.start) == ("base", 2, "head", 4)
    assert item.before.signature is not None
    assert item.after.signature is not None
    assert [p.name for p in item.before.signature.parameters] == ["a"]
    assert [(p.name, p.kind, p.is_required) for p in item.after.signature.parameters] == [
        ("a", "positional", True),
        ("b", "keyword-only", False),
    ]
    assert item.after.signature.text == "def m(self, a, *, b=1)"


def test_what_moves_to_another_file_is_not_removed(repository: Repository) -> None:
    """A definition that leaves one file and comes to another is one that moved."""
    body = "def helper(a):\n    b = a + 1\n    return b\n"
    found = find(repository.change({"old.py": f"X = 1\n{body}", "new.py": ""}, {"old.py": "X = 1\n", "new.py": body}))
    (item,) = found.symbols

    assert item.change == "renamed"
    assert (item.before and item.before.path, item.after and item.after.path) == ("old.py", "new.py")


def test_a_removed_class_stands_for_its_members(repository: Repository) -> None:
    """One removed symbol, not one per method."""
    old = "class A:\n    def one(self):\n        pass\n\n    def two(self):\n        pass\n\n\nx = 1\n"
    found = find(repository.change({"a.py": old}, {"a.py": "x = 1\n"}))

    assert [(item.symbol.name, item.change) for item in found.symbols] == [("A", "removed")]


def test_javascript_definitions_of_every_kind_are_seen(repository: Repository) -> None:
    """Functions, arrows, classes and their fields, objects, types, CommonJS exports and prototypes."""
    old = """
export function plain(a) { return 1 }
export const arrow = (a) => 1
export class Shop { open = () => 1; close() { return 1 } static build() { return 1 } }
export const table = { key() { return 1 }, other: (a) => 1 }
exports.made = function (a) { return 1 }
Shop.prototype.late = function () { return 1 }
export default function main() { return 1 }
"""
    types = "export interface Order { total: number }\nexport type Id = string\nexport enum Kind { A }\n"
    found = find(
        repository.change(
            {"a.js": old, "t.ts": types},
            {
                "a.js": old.replace("1", "2"),
                "t.ts": types.replace("number", "bigint").replace("string", "number").replace("A }", "B }"),
            },
        )
    )

    assert {item.symbol.name for item in found.symbols} >= {
        "plain",
        "arrow",
        "Shop.open",
        "Shop.close",
        "Shop.build",
        "table.key",
        "table.other",
        "made",
        "Shop.late",
        "main",
        "Order.total",
        "Id",
        "Kind.A",
    }


def test_the_script_of_a_component_keeps_its_lines(repository: Repository) -> None:
    """In a Vue file only the script is read, and its lines are those of the file."""
    old = '<template>\n  <p>{{ total() }}</p>\n</template>\n<script lang="ts">\nexport function total() {\n  return 1\n}\n</script>\n'
    (item,) = find(repository.change({"a.vue": old}, {"a.vue": old.replace("return 1", "return 2")})).symbols

    assert (item.symbol.name, item.symbol.start, item.symbol.end) == ("total", 5, 7)
