import asyncio
from collections.abc import Sequence
from functools import partial

import step
from fakes import Repository

from bot.checkout import Checkout
from bot.review.context import look_ups
from bot.review.context.look_ups import LookedUp, LookUps
from bot.review.opening import _readers
from bot.values import Excerpt, LookUp
from deeprepo.impact import uses
from deeprepo.rlm.values import tokens

LONG = "class Store:\n" + "".join(f"    def step_{n}(self):\n        return {n}\n" for n in range(80))
FILES: dict[str, str | bytes | None] = {
    "src/store.py": LONG,
    "src/pick.py": "def pick(kind):\n    match kind:\n        case 1:\n            return 'one'\n        case _:\n            return None\n",
    "src/shelf.py": "class Shelf:\n    def pick(self):\n        return 2\n",
    **{f"src/use_{n}.py": f"from src.pick import pick\n\nprint(pick({n}))\n" for n in range(40)},
    "tests/test_pick.py": "from src.pick import pick\n\n\ndef test_pick():\n    assert pick(1) == 'one'\n",
    "docs/pick.md": "pick(kind) is described here\n",
    "src/Ids.cs": "static class Ids\n{\n    public static bool TryIds(this Item item, [NotNullWhen(true)] out string? id)\n    {\n        id = null;\n        return false;\n    }\n\n    public string Label => _label;\n}\n",
    "src/run.cc": '#include "run.h"\n\nint Desk::runAll(int x) const\n{\n    return x;\n}\n',
    "src/late.ts": "export class Late {\n  public readonly lateRun = async (x: number) => {\n    return x\n  }\n}\n",
}


def shown(
    repository: Repository,
    *wanted: LookUp,
    most: int = look_ups.TOKENS,
    files: dict[str, str | bytes | None] = FILES,
    above: Sequence[Excerpt] = (),
) -> tuple[LookedUp, ...]:
    pull = repository.change({}, files)

    async def run() -> tuple[LookedUp, ...]:
        async with Checkout(pull) as tree:
            callers = partial(_callers, tree)
            return await LookUps(tree, callers, partial(_readers, tree)).show(wanted, most, above)

    async def _callers(tree: Checkout, name: str):  # type: ignore[no-untyped-def]  # noqa: ANN202
        return await uses.callers(tree, name)

    return asyncio.run(run())


def test_files_are_listed_by_folder_or_glob(repository: Repository) -> None:
    """Files are listed by folder or glob, with a count for long lists and a message for none."""
    folder, glob, none = shown(
        repository, LookUp("files", path="docs/"), LookUp("files", path="**/*.{cs,cc}"), LookUp("files", path="scr/")
    )
    assert folder.notes == ("1 file: docs/pick.md",)
    assert glob.notes == ("2 files: src/Ids.cs, src/run.cc",)
    assert none.notes[0].startswith("no file has a path like scr")
    (many,) = shown(repository, LookUp("files", path="a"), files={f"a/{n}.py": "x = 1\n" for n in range(200)})
    assert "200 files" in many.notes[0]
    assert many.notes[0].endswith("and 80 more: narrow it")


def test_definition_is_shown_whole_and_filtered_by_class(repository: Repository) -> None:
    """Both definitions of the name are shown with their bodies, or only that of the named class."""
    both, named = shown(repository, LookUp("definition", "pick"), LookUp("definition", "Shelf.pick"))
    assert [(e.path, e.start, e.end) for e in both.excerpts] == [("src/pick.py", 1, 6), ("src/shelf.py", 2, 3)]
    assert named.notes == ("shown before: lines of src/shelf.py 2 to 3",)  # no line is shown twice
    (alone,) = shown(repository, LookUp("definition", "Shelf.pick"))
    assert [e.path for e in alone.excerpts] == ["src/shelf.py"]


def test_lines_already_in_the_prompt_are_not_repeated(repository: Repository) -> None:
    """Lines that a prompt already shows are left out of a look-up and listed in its notes."""
    (first,) = shown(repository, LookUp("definition", "pick"))
    (again,) = shown(repository, LookUp("definition", "pick"), above=first.excerpts)
    assert again.excerpts == ()
    assert again.notes == ("shown before: lines of src/pick.py 1 to 6", "shown before: lines of src/shelf.py 2 to 3")


def test_definition_is_shown_from_source_and_not_from_build_output(repository: Repository) -> None:
    """A definition is shown from its source, not from build output or a document's sample."""
    source = "export function total(rows) {\n  return rows.length\n}\n"
    files = {"src/total.js": source, "dist/app.js": source, "docs/use.md": f"```js\n{source}```\n"}
    (found,) = shown(repository, LookUp("definition", "total"), files={**files})
    assert [excerpt.path for excerpt in found.excerpts] == ["src/total.js"]


def test_added_lines_are_marked_with_a_plus_sign(repository: Repository) -> None:
    """Looked-up lines that the change adds are marked with a plus sign."""
    pull = repository.change({"a.py": "x = 1\ny = 2\n"}, {"a.py": "x = 1\ny = 3\n"})

    async def run(tree: Checkout, files: step.Files) -> tuple[LookedUp, ...]:
        async def nobody(_: str) -> tuple[()]:
            return ()

        return await LookUps(tree, nobody, nobody, files).show([LookUp("lines", "", "a.py", 1, 2)])

    (found,) = step.over(pull, run)
    assert [(row.sign, row.text) for row in found.excerpts[0].rows] == [(" ", "x = 1"), ("+", "y = 3")]


def test_binary_file_is_noted_but_not_shown(repository: Repository) -> None:
    """For a binary file, only a note is shown."""
    (binary,) = shown(repository, LookUp("lines", "", "tool.bin"), files={"tool.bin": b"\0\1\2"})
    assert (binary.excerpts, binary.notes) == ((), ("tool.bin is too large or no text file",))


def test_definition_that_needs_a_parser_is_found(repository: Repository) -> None:
    """Definitions that no line pattern matches, such as C# properties, are found by parsing."""
    names = {"TryIds": (3, 7), "Label": (9, 9), "Desk::runAll": (3, 6), "lateRun": (2, 4)}
    found = shown(repository, *(LookUp("definition", name) for name in names))
    assert [(one.excerpts[0].start, one.excerpts[0].end) for one in found] == [*names.values()]


def test_references_are_counted_and_limited_with_product_code_first(repository: Repository) -> None:
    """Uses are shown with their block, as lines or as a count, with product code before tests."""
    (one,) = shown(repository, LookUp("uses", "pick"))
    assert all(e.path.startswith("src/use_") for e in one.excerpts)
    assert any("more not shown, such as src/use_" in note for note in one.notes)


def test_all_lookups_together_stay_within_the_token_limit(repository: Repository) -> None:
    """All look-ups together stay within the token limit."""
    wanted = [
        LookUp("lines", path="src/store.py", start=1, end=150),
        LookUp("uses", "pick"),
        LookUp("search", "return"),
    ]
    found = shown(repository, *wanted, most=900)
    assert all(one.excerpts for one in found)
    assert tokens(look_ups.text(found)) <= 900
    assert any("for lack of room" in note for note in found[0].notes)
