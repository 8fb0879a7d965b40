import asyncio
from functools import partial

from fakes import Repository

from bot.checkout import Checkout
from bot.review.context import look_ups
from bot.review.context.look_ups import LookedUp, LookUps
from bot.values import LookUp
from deeprepo.impact import uses
from deeprepo.rlm.values import tokens

LONG = "class Store:\n" + "".join(f"    def step_{n}(self):\n        return {n}\n" for n in range(80))
FILES: dict[str, str | bytes | None] = {
    "src/store.py": LONG,
    "src/pick.py": "def pick(kind):\n    match kind:\n        case 1:\n            return 'one'\n        case _:\n            return None\n",
    "src/shelf.py": "class Shelf:\n    def pick(self):\n        return 2\n",
    **{f"src/use_{n}.py": f"from src.pick import pick\n\nprint(pick({n}))\n" for n in range(40)},
    "tests/test_pick.py": "from src.pick import pick\n\n\ndef test_pick():\n    assert pick(1) == 'one'\n",
    "src/Ids.cs": "static class Ids\n{\n    public static bool TryIds(this Item item, [NotNullWhen(true)] out string? id)\n    {\n        id = null;\n        return false;\n    }\n\n    public string Label => _label;\n}\n",
    "src/run.cc": '#include "run.h"\n\nint Desk::runAll(int x) const\n{\n    return x;\n}\n',
    "src/late.ts": "export class Late {\n  public readonly lateRun = async (x: number) => {\n    return x\n  }\n}\n",
}


def shown(repository: Repository, *wanted: LookUp, most: int = look_ups.TOKENS) -> tuple[LookedUp, ...]:
    pull = repository.change({}, FILES)

    async def run() -> tuple[LookedUp, ...]:
        async with Checkout(pull) as tree:
            return await LookUps(tree, partial(uses.callers, tree), partial(uses.readers, tree)).show(wanted, most)

    return asyncio.run(run())


def test_definition_is_shown_whole_and_filtered_by_class(repository: Repository) -> None:
    """Both definitions of the name are shown with their bodies, or only that of the named class."""
    both, named = shown(repository, LookUp("definition", "pick"), LookUp("definition", "Shelf.pick"))
    assert [(e.path, e.start, e.end) for e in both.excerpts] == [("src/pick.py", 1, 6), ("src/shelf.py", 2, 3)]
    assert named.notes == ("shown before: 2 lines of src/shelf.py between 2 and 3",)  # no line is shown twice
    (alone,) = shown(repository, LookUp("definition", "Shelf.pick"))
    assert [e.path for e in alone.excerpts] == ["src/shelf.py"]


def test_definition_that_needs_a_parser_is_found(repository: Repository) -> None:
    """Definitions that no line pattern matches, such as C# properties, are found by parsing."""
    names = {"TryIds": (3, 7), "Label": (9, 9), "Desk::runAll": (3, 6), "lateRun": (2, 4)}
    found = shown(repository, *(LookUp("definition", name) for name in names))
    assert [(one.excerpts[0].start, one.excerpts[0].end) for one in found] == [*names.values()]


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
