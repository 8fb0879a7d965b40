from dependents_scene import find
from fakes import Repository


def test_definition_moved_to_another_file_is_not_removed(repository: Repository) -> None:
    """A definition that moves to another file counts as renamed, not as removed."""
    body = "def helper(a):\n    b = a + 1\n    return b\n"
    found = find(repository.change({"old.py": f"X = 1\n{body}", "new.py": ""}, {"old.py": "X = 1\n", "new.py": body}))
    (item,) = found.symbols

    assert item.change == "renamed"
    assert (item.before and item.before.path, item.after and item.after.path) == ("old.py", "new.py")


def test_removed_class_is_listed_without_its_members(repository: Repository) -> None:
    """A removed class is one removed symbol, without one for each method."""
    old = "class A:\n    def one(self):\n        pass\n\n    def two(self):\n        pass\n\n\nx = 1\n"
    found = find(repository.change({"a.py": old}, {"a.py": "x = 1\n"}))

    assert [(item.symbol.name, item.change) for item in found.symbols] == [("A", "removed")]


def test_vue_script_keeps_its_line_numbers(repository: Repository) -> None:
    """Only the script of a Vue file is parsed, and its line numbers are those of the whole file."""
    old = '<template>\n  <p>{{ total() }}</p>\n</template>\n<script lang="ts">\nexport function total() {\n  return 1\n}\n</script>\n'
    (item,) = find(repository.change({"a.vue": old}, {"a.vue": old.replace("return 1", "return 2")})).symbols

    assert (item.symbol.name, item.symbol.start, item.symbol.end) == ("total", 5, 7)
