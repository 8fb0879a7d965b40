"""If a search reaches a limit, the result says so, and unimportant files don't displace important ones."""

import pytest
from dependents_scene import find
from fakes import Repository

from deeprepo.impact.structs import replace
from deeprepo.impact.uses import SearchLimits

Files = dict[str, str | bytes | None]
LIB = "def load_things(a, b):\n    return a\n"
USER = "from zz.lib import load_things\n\nload_things(1, 2)\n"
FEW = replace(SearchLimits(), files=20, symbols=10, far=12, parsed_files=12)


def test_file_that_loses_a_name_is_searched_first(repository: Repository) -> None:
    """It is searched before many new files and changed signatures that sort before it."""
    pad: Files = {f"aa/x{number}.py": "def add(a):\n    b = 1\n    return a + b\n" for number in range(50)}
    more: Files = {f"aa/x{number}.py": "def add(a, b=1):\n    return a - b\n" for number in range(100)}
    found = find(repository.change({"zz/lib.py": LIB, "app.py": USER, **pad}, {"zz/lib.py": "x = 1\n", **more}), FEW)

    assert {row.path for row in found.references if row.missing} == {"app.py"}
    assert "dependents were searched for only 20 of the 101 changed source files" in found.missed_uses


def test_removed_functions_over_the_limit_are_reported_as_not_searched(repository: Repository) -> None:
    """If a file has more removed functions than the limit, the review says how many were not searched for."""
    before = "".join(f"def one_{number:02}():\n    return 1\n\n\n" for number in range(12))
    found = find(repository.change({"lib.py": before + "x = 1\n"}, {"lib.py": "x = 1\n"}), FEW)

    assert "lib.py: 10 of its 12 changed definitions were searched for" in found.missed_uses


def test_import_after_a_byte_order_mark_is_found(repository: Repository) -> None:
    """An import on the first line is found after a byte order mark."""
    user = "\ufeff" + USER.replace("zz.", "")
    found = find(repository.change({"lib.py": LIB, "app.py": user}, {"lib.py": LIB.replace(", b", "")}))

    assert [row.line for row in found.references if row.call and row.is_bound] == [3]


SHORT_TIME = replace(SearchLimits(), seconds=0.0)


def test_files_not_searched_in_time_are_listed(repository: Repository) -> None:
    """With no time left, one file is searched, and the review lists the others."""
    users: Files = dict.fromkeys(("app.py", "bill.py", "cart.py"), USER)
    found = find(repository.change({"zz/lib.py": LIB, **users}, {"zz/lib.py": LIB.replace(", b", "")}), SHORT_TIME)

    (sentence,) = (one for one in found.missed_uses if "unsearched" in one)
    assert sentence.startswith("after 0 s of CPU time, 3 files were left unsearched for references: ")
    assert sentence.endswith("bill.py, cart.py, zz/lib.py")


def test_without_sites_only_what_may_break_is_searched(repository: Repository) -> None:
    """A search without `sites` finds the uses of a changed contract or test helper, and none of a new body."""
    bodies = LIB + "\n\ndef other():\n    return 1\n"
    app = "from {} import load_things, other\n\nload_things(1, 2)\nother()\n"
    files: Files = {
        "lib.py": bodies,
        "app.py": app.format("lib"),
        "tests/lib.py": bodies,
        "tests/test_app.py": app.format("tests.lib"),
    }
    after = bodies.replace(", b", "").replace("1", "2")
    found = find(repository.change(files, {"lib.py": after, "tests/lib.py": after}), replace(SearchLimits(), sites=0))

    assert [(row.path, row.line) for row in found.references if row.call] == [("app.py", 3), ("tests/test_app.py", 3)]


ICON = "iVBORw0KGgo" * 1_200
CALLERS = {  # a file with a very long line, and a call that no longer matches
    "Python": ("lib.py", LIB, LIB.replace(", b", ""), "app.py", f'from lib import load_things\nICON = "{ICON}"\nload_things(1, 2)\n'),
    "TypeScript": (
        "lib.ts",
        "export function load(a: string, b: string) { return a; }\n",
        "export function load(a: string) { return a; }\n",
        "app.ts",
        f'import {{ load }} from "./lib";\nconst icon = "data:{ICON}";\nload("1", "2");\n',
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", CALLERS)
def test_file_with_very_long_lines_is_searched_for_callers(repository: Repository, language: str) -> None:
    """A file that contains an embedded icon is still searched for callers."""
    lib, before, after, app, text = CALLERS[language]
    found = find(repository.change({lib: before, app: text}, {lib: after}))

    assert [row.path for row in found.references if row.call] == [app]


BIG = f"from lib import load_things\n\nload_things(1, 2)\nTABLE = [\n{'    1,' * 20_000}\n]\n".replace("1,", "1,\n")


def test_caller_over_the_size_limit_is_listed(repository: Repository) -> None:
    """A caller over the size limit is listed with the name that it may use, unless it is vendored."""
    few = replace(SearchLimits(), bytes=50_000)
    files: Files = {"lib.py": LIB, "app.py": BIG, "vendor/app.py": BIG}
    found = find(repository.change(files, {"lib.py": LIB.replace(", b", "")}), few)

    assert found.missed_uses == (
        "app.py has more than 50,000 bytes, so its references to load_things were not searched",
    )


def test_subclass_in_a_file_over_the_size_limit_is_listed(repository: Repository) -> None:
    """A subclass in a file over the size limit is listed, because it may override the method."""
    base = "class Base:\n    def send(self, a):\n        return a\n"
    heir = (
        "from base import Base\n\n\nclass Mail(Base):\n    def send(self, a):\n        return a\n" + "x = 1\n" * 9_000
    )
    few = replace(SearchLimits(), bytes=50_000)
    found = find(
        repository.change({"base.py": base, "mail.py": heir}, {"base.py": base.replace("self, a", "self, a, b")}), few
    )

    assert "mail.py has more than 50,000 bytes, so it was not searched for overriding methods" in found.missed_uses


SWIFT_USER = "class User{0} {{\n    func go() -> Int {{ return {1} }}\n}}\n"


def test_only_module_files_with_the_changed_name_can_use_it(repository: Repository) -> None:
    """Files in one module need no import, so only those that contain a changed name can use it."""
    others: Files = {f"App/a{number:02}.swift": SWIFT_USER.format(number, "1") for number in range(30)}
    lib = "func shipmentTotal(_ a: Int) -> Int {\n    return a\n}\n"
    before: Files = {"App/Lib.swift": lib, "App/zz.swift": SWIFT_USER.format("Zz", "shipmentTotal(2)"), **others}
    found = find(repository.change(before, {"App/Lib.swift": lib.replace("_ a: Int", "_ a: Int, _ b: Int")}), FEW)

    assert found.missed_uses == ()
    assert {row.path for row in found.references} == {"App/zz.swift"}


SWIFT_LIB = "func shipmentTotal(_ a: Int) -> Int {\n    return a\n}\n"
SWIFT_USERS: Files = {f"App/a{number:02}.swift": SWIFT_USER.format(number, "shipmentTotal(2)") for number in range(30)}


def test_every_file_with_the_name_is_searched_while_time_is_left(repository: Repository) -> None:
    """Thirty callers are found, although twelve files are parsed to look up a name."""
    after = SWIFT_LIB.replace("_ a: Int", "_ a: Int, _ b: Int")
    found = find(repository.change({"App/Lib.swift": SWIFT_LIB, **SWIFT_USERS}, {"App/Lib.swift": after}), FEW)

    assert {row.path for row in found.references} == SWIFT_USERS.keys()
    assert (found.missed_uses, found.cut) == ((), ())


def test_unsearched_references_to_a_changed_body_leave_nothing_open(repository: Repository) -> None:
    """A changed body breaks no caller, so the review stays complete and only mentions the limit."""
    after = SWIFT_LIB.replace("a\n}", "a + 1\n}")
    found = find(repository.change({"App/Lib.swift": SWIFT_LIB, **SWIFT_USERS}, {"App/Lib.swift": after}), SHORT_TIME)

    assert found.missed_uses == ()
    assert any("files were left unsearched for references" in one for one in found.cut)
