import asyncio
from collections.abc import Sequence
from functools import partial

import pytest
from fakes import Repository

from bot import dependents
from bot.checkout import Checkout
from bot.context import look_ups
from bot.context.look_ups import LookedUp, LookUps
from bot.languages import LANGUAGES
from bot.review.opening import _readers
from bot.values import Excerpt, LookUp, tokens

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
            return await LookUps(tree, LANGUAGES, callers, partial(_readers, tree)).show(wanted, most, above)

    async def _callers(tree: Checkout, name: str):  # type: ignore[no-untyped-def]  # noqa: ANN202
        return await dependents.callers(tree, name, LANGUAGES)

    return asyncio.run(run())


def test_a_definition_is_whole_and_that_of_the_named_class_where_one_is_named(repository: Repository) -> None:
    """A match with its default; of `Shelf.pick` not the function of the same name."""
    both, named = shown(repository, LookUp("definition", "pick"), LookUp("definition", "Shelf.pick"))
    assert [(e.path, e.start, e.end) for e in both.excerpts] == [("src/pick.py", 1, 6), ("src/shelf.py", 2, 3)]
    assert named.notes == ('shown under "definition of pick": src/shelf.py 2 to 3',)  # no line twice
    (alone,) = shown(repository, LookUp("definition", "Shelf.pick"))
    assert [e.path for e in alone.excerpts] == ["src/shelf.py"]


def test_what_a_prompt_shows_already_is_not_shown_again(repository: Repository) -> None:
    """The lines of earlier excerpts are left out, and named."""
    (first,) = shown(repository, LookUp("definition", "pick"))
    (again,) = shown(repository, LookUp("definition", "pick"), above=first.excerpts)
    assert again.excerpts == ()
    assert again.notes == ("shown before: src/pick.py 1 to 6", "shown before: src/shelf.py 2 to 3")


def test_a_file_that_is_not_a_text_is_named_and_not_shown(repository: Repository) -> None:
    """Lines of a program or a picture; a text with a stray NUL byte is a text."""
    files: dict[str, str | bytes | None] = {"tool.bin": b"\0\1\2", "notes.txt": b"one\ntwo\0\n" + b"three\n" * 9}
    binary, text = shown(repository, LookUp("lines", "", "tool.bin"), LookUp("lines", "", "notes.txt"), files=files)
    assert (binary.excerpts, binary.notes) == ((), ("tool.bin is not a text file",))
    assert text.excerpts[0].path == "notes.txt"


def test_a_definition_that_only_a_parser_recognises_is_found(repository: Repository) -> None:
    """Types before the name, attributes in the parameters, a class before it, a property, a function in a field."""
    names = {"TryIds": (3, 7), "Label": (9, 9), "Desk::runAll": (3, 6), "lateRun": (2, 4)}
    found = shown(repository, *(LookUp("definition", name) for name in names))
    assert [(one.excerpts[0].start, one.excerpts[0].end) for one in found] == [*names.values()]


def test_a_definition_that_is_an_assignment_is_found(repository: Repository) -> None:
    """A function that a member of an object gets, an entry of an object, an export; of an owner that is named, its own."""
    files: dict[str, str | bytes | None] = {
        "src/posts.js": "const Posts = module.exports\n\nPosts.uploads.list = async function (pid) {\n  return db.get(pid)\n}\n\nmodule.exports.drop = (pid) => {\n  return db.del(pid)\n}\n",
        "src/users.js": "module.exports = {\n  list: async function (uid) {\n    return db.all(uid)\n  },\n}\n",
        "src/other.js": "export function list() {\n  return []\n}\n",
    }
    names = ("Posts.uploads.list", "list", "drop")
    found = [
        [e.path for e in one.excerpts]
        for name in names
        for one in shown(repository, LookUp("definition", name), files=files)
    ]
    assert found == [["src/posts.js"], ["src/other.js", "src/posts.js", "src/users.js"], ["src/posts.js"]]


@pytest.mark.parametrize(
    ("path", "line", "name"),
    [
        ("src/conf.py", "    retries: int = 3", "retries"),
        ("src/conf.ts", "  'x-request-key': 3,", "x-request-key"),
        ("src/conf.ts", "let { alpha_rate, beta_rate } = load()", "alpha_rate"),
        ("lib/conf.rb", "  scope :active_ones, -> { where(a: 1) }", "active_ones"),
        ("db/conf.sql", "  total_cents int NOT NULL,", "total_cents"),
        ("src/conf.go", '\tErrGone = errors.New("gone")', "ErrGone"),
    ],
)
def test_a_name_that_no_word_announces_is_found(repository: Repository, path: str, line: str, name: str) -> None:
    """An annotation, a quoted key, a part that is taken out of an object, a symbol, a column, a variable of a block."""
    (one,) = shown(repository, LookUp("definition", name), files={path: f"{line}\n", "use.py": f"print({name!r})\n"})
    assert [(e.path, e.start) for e in one.excerpts] == [(path, 1)]


def test_of_a_long_function_what_it_returns_is_shown(repository: Repository) -> None:
    """Whole if the answer has room; else the beginning, and every result with its condition."""
    body = "".join(f"    total_{n} = total_{n} + rows[{n}].amount_of_the_row\n" for n in range(300))
    late = "    if total_7 < 0:\n        raise ValueError(total_7)\n"
    files: dict[str, str | bytes | None] = {"src/sums.py": f"def sums(rows):\n{body}{late}    return total_1\n"}
    (one,) = shown(repository, LookUp("definition", "sums"), files=files)
    text = one.excerpts[0].text
    assert "def sums(rows):" in text
    assert "    if total_7 < 0:\n        raise ValueError(total_7)" in text
    assert one.excerpts[0].title == "defines sums, lines 1 to 304"
    assert one.notes[0].startswith("not shown for lack of room: src/sums.py ")
    (whole,) = shown(
        repository,
        LookUp("definition", "sums"),
        files={"src/sums.py": f"def sums(rows):\n{body[: len(body) // 3]}\n    return 1\n"},
    )
    assert (len(whole.excerpts[0].rows) > 100, whole.notes) == (True, ())


def test_what_one_look_up_does_not_need_an_earlier_one_may_have(repository: Repository) -> None:
    long, short = shown(repository, LookUp("definition", "Store"), LookUp("definition", "pick"), most=1_000)
    (alone,) = shown(repository, LookUp("definition", "Store"), most=1_000)
    rows = [sum(len(excerpt.rows) for excerpt in one.excerpts) for one in (long, alone)]
    assert rows[0] > rows[1] * 0.85
    assert short.excerpts[0].end == 6


def test_a_long_class_is_shown_by_its_head_and_its_members(repository: Repository) -> None:
    """Where the answer has no room for all of it."""
    (one,) = shown(repository, LookUp("definition", "Store"), most=700)
    assert "    def step_60(self):" in one.excerpts[0].text
    assert "        return 60" not in one.excerpts[0].text
    assert one.excerpts[0].title == "defines Store, lines 1 to 161"
    assert one.notes[0].startswith("not shown for lack of room: src/store.py ")


def test_uses_are_of_the_product_first_counted_and_bounded(repository: Repository) -> None:
    """Some in their blocks, some as lines, the rest as a number; tests after the product."""
    (one,) = shown(repository, LookUp("uses", "pick"))
    assert all(e.path.startswith("src/use_") for e in one.excerpts)
    assert "lines import it" in one.notes[0]
    assert any("more not shown: src/use_" in note for note in one.notes)


def test_all_of_one_answer_stays_under_its_tokens(repository: Repository) -> None:
    """What one look-up does not need, the next ones may have."""
    wanted = [
        LookUp("lines", path="src/store.py", start=1, end=150),
        LookUp("uses", "pick"),
        LookUp("search", "return"),
    ]
    found = shown(repository, *wanted, most=900)
    assert all(one.excerpts for one in found)
    assert tokens(look_ups.text(found)) <= 900
    assert any("for lack of room" in note for note in found[0].notes)


def test_lines_that_are_asked_for_end_with_their_block(repository: Repository) -> None:
    """A reader who names lines cannot know where their block ends. A block that is much longer is not completed."""
    body = "".join(f"        {number} => {{\n            act({number})\n        }}\n" for number in range(8))
    rows = f"fn pick(x: u8) {{\n    match x {{\n{body}    }}\n}}\n\nfn other() {{\n    act(1)\n}}\n"
    last = rows.split("\n").index("fn other() {") - 1

    files: dict[str, str | bytes | None] = {"a.rs": rows + "// z\n" * 90}
    wanted = [LookUp("lines", path="a.rs", start=1, end=end) for end in (10, last + 2)]
    ends = [shown(repository, one, files=files)[0].excerpts[0].rows[-1].number for one in wanted]
    assert ends == [last, last + 4]


def test_a_place_that_did_not_fit_is_named(repository: Repository) -> None:
    """So that its reader can say what is missing."""
    body = "".join(f"    total_{n} = rows[{n}].amount_of_the_row\n" for n in range(60))
    files: dict[str, str | bytes | None] = {f"src/sums_{n}.py": f"def sums(rows):\n{body}" for n in range(3)}
    (one,) = shown(repository, LookUp("definition", "sums"), files=files, most=900)
    assert [note.split(" 1 to")[0] for note in one.notes[1:]] == ["not shown for lack of room: src/sums_2.py"]
    assert one.notes[0].endswith("a look-up of these lines alone shows them")


def test_a_long_definition_is_shown_around_the_lines_that_are_asked_for(repository: Repository) -> None:
    """With its head; of what it holds elsewhere nothing."""
    body = "".join(f"    total_{n} = total_{n} + rows[{n}].amount_of_the_row\n" for n in range(400))
    asked = LookUp("definition", "sums", start=300, end=310)
    (one,) = shown(repository, asked, files={"src/sums.py": f"def sums(rows):\n{body}    return total_1\n"})
    numbers = {row.number for row in one.excerpts[0].rows}
    assert {1, *range(290, 321)} <= numbers
    assert 200 not in numbers


GROWING = "".join(f"    total_{n} = rows[{n}].amount_of_the_row\n" for n in range(40))


def test_a_definition_beside_a_search_for_its_name_stands_whole_under_its_own_heading(repository: Repository) -> None:
    """The search says where the lines are that it does not show again."""
    files: dict[str, str | bytes | None] = {
        "src/sums.py": f"LIMIT = 3\n\n\ndef sums(rows):\n{GROWING}    return sums_of(rows)\n\n\nprint(sums([]))\n"
    }
    search, definition = shown(repository, LookUp("search", r"\bsums\b"), LookUp("definition", "sums"), files=files)
    assert [(e.start, e.end, len(e.rows)) for e in definition.excerpts] == [(4, 45, 42)]
    assert [row.text for e in search.excerpts for row in e.rows] == ["print(sums([]))"]
    assert search.notes == ('shown under "definition of sums": src/sums.py 4',)


def test_a_hit_stands_below_the_head_of_its_definition_and_the_title_names_the_lines_that_match(
    repository: Repository,
) -> None:
    """Below decorators; a hit in an import has none."""
    uses = "".join(
        f"@cached\ndef job_{n}(rows):\n{GROWING}    pick(rows)\n{GROWING}    pick(None)\n\n\n" for n in range(4)
    )
    files: dict[str, str | bytes | None] = {"src/jobs.py": f"from src.pick import pick\n\n\n{uses}"}
    (one,) = shown(repository, LookUp("search", r"pick\("), files=files)
    (excerpt,) = one.excerpts
    assert excerpt.title == "matches on lines 46, 87, 132, 173, 218, 259, 304, 345"
    numbers = [row.number for row in excerpt.rows]
    assert {5, 91, 177, 263, 46, 87, 345} <= {*numbers}  # each function's name, not its decorator
    assert 263 in numbers
    assert 262 not in numbers


def test_a_pattern_that_matches_nothing_as_it_is_written_is_looked_for_without_regard_to_case(
    repository: Repository,
) -> None:
    exact, other = shown(repository, LookUp("search", "class Shelf"), LookUp("search", "CLASS SHELF"))
    assert (exact.excerpts[0].path, exact.notes) == ("src/shelf.py", ())
    assert other.notes[0] == "no line matches it as it is written: these do without regard to case"


def test_code_of_the_languages_of_the_change_comes_before_that_of_others(repository: Repository) -> None:
    """A function of another language that is called the same."""
    files: dict[str, str | bytes | None] = {
        "app/escape.js": "export function xmlEscape(s) {\n  return s\n}\n",
        "core/Util.java": "class Util {\n  static String xmlEscape(String s) {\n    return s;\n  }\n}\n",
        "core/Main.java": "class Main {}\n",
    }
    pull = repository.change({}, files)

    async def run() -> tuple[LookedUp, ...]:
        async with Checkout(pull) as tree:
            callers = partial(dependents.callers, tree, languages=LANGUAGES)
            look_ups = LookUps(tree, LANGUAGES, callers, partial(_readers, tree), ["core/Main.java"])
            return await look_ups.show([LookUp("definition", "xmlEscape")])

    (one,) = asyncio.run(run())
    assert [e.path for e in one.excerpts] == ["core/Util.java", "app/escape.js"]
