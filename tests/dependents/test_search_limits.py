"""What a limit cuts is said, and it is never the file that matters only because others were called to stand before it."""

from dataclasses import replace

from dependents_scene import find
from fakes import Repository

from bot.dependents import SearchLimits
from bot.review import coverage
from bot.values import Dependents

LIB = "def load_things(a, b):\n    return a\n"
USER = "from zz.lib import load_things\n\nload_things(1, 2)\n"
FEW = replace(SearchLimits(), files=20, symbols=10, far=12, parsed_files=12)


def _proven(found: Dependents) -> list[str]:
    return sorted({row.path for row in found.references if row.missing})


def test_new_files_do_not_push_out_the_one_that_breaks_a_caller(repository: Repository) -> None:
    """A hundred files of one line each, called to come first by their path: the file that was there before is searched first."""
    pad: dict[str, str | bytes | None] = {f"aa/x{number}.py": f"x = {number}\n" for number in range(100)}
    found = find(repository.change({"zz/lib.py": LIB, "app.py": USER}, {"zz/lib.py": "x = 1\n", **pad}), FEW)

    assert _proven(found) == ["app.py"]
    assert "dependents were looked for of 20 of the 101 changed source files" in found.missed_uses


def test_edited_files_do_not_push_it_out_either(repository: Repository) -> None:
    """Of files that were there before, those that give up a definition come first, whatever else is edited and however much."""
    pad = {f"aa/x{number}.py": f"x = {number}\n" * 9 for number in range(30)}
    after: dict[str, str | bytes | None] = {path: text.replace("x", "y") for path, text in pad.items()}
    found = find(repository.change({"zz/lib.py": LIB, "app.py": USER, **pad}, {"zz/lib.py": "x = 1\n", **after}), FEW)
    assert _proven(found) == ["app.py"]


def test_definitions_above_the_limit_are_open(repository: Repository) -> None:
    """More removed functions than are looked up in one file: what is left out may have callers."""
    before = "".join(f"def one_{number:02}():\n    return 1\n\n\n" for number in range(12))
    found = find(repository.change({"lib.py": before + "x = 1\n"}, {"lib.py": "x = 1\n"}), FEW)

    assert "lib.py: 10 of its 12 changed definitions were looked up" in found.missed_uses


def test_definitions_without_a_changed_contract_are_not(repository: Repository) -> None:
    """New bodies above the limit oblige nobody: they are mentioned and leave nothing open."""
    before = "".join(f"def one_{number:02}():\n    return 1\n\n\n" for number in range(12))
    found = find(repository.change({"lib.py": before}, {"lib.py": before.replace("return 1", "return 2")}), FEW)

    assert found.cut == ("lib.py: 10 of its 12 changed definitions were looked up",)
    assert found.missed_uses == ()


def test_files_of_the_change_make_no_name_common(repository: Repository) -> None:
    """A method whose name the change writes into many new files is looked up by its name all the same."""
    shop = "class Shop:\n    def load_things(self, a):\n        return a\n"
    user = "def go(shop):\n    shop.load_things(1)\n"
    pad: dict[str, str | bytes | None] = {
        f"n{number:02}.py": f"text = {number}  # load_things\n" for number in range(20)
    }
    found = find(
        repository.change({"shop.py": shop, "app.py": user}, {"shop.py": "class Shop:\n    pass\n", **pad}), FEW
    )

    assert "app.py" in {use.path for use in coverage.obliged_uses((), found)}


def test_members_of_removed_classes_above_the_limit_are_open(repository: Repository) -> None:
    """Each of them may be used where the class is not named."""
    members = "".join(f"  loadThing{number:02}() {{ return 1; }}\n" for number in range(70))
    found = find(
        repository.change({"lib.ts": f"export class Shop {{\n{members}}}\n"}, {"lib.ts": "export const x = 1;\n"})
    )

    assert "60 of the 70 members of removed classes were looked up" in found.missed_uses


def test_keys_above_the_limit_are_open(repository: Repository) -> None:
    """More keys than are looked up in one change: a sentence counts them."""
    before = "".join(f"shop_key_{number:03} = 1\n" for number in range(210))
    after = before.replace("shop_key", "till_key")
    found = find(repository.change({"a.toml": before}, {"a.toml": after}))

    assert any("keys that the change takes away were looked up" in sentence for sentence in found.missed_uses)
