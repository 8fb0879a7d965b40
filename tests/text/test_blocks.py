"""The lines around a line: whole blocks, cut at the borders of statements."""

import pytest

from bot.text import blocks

GO = """func kind(name string) int {
	step()
	switch name {
	case "a":
		return 1
	case "b":
		return 2
	default:
		return -1
	}
}"""
LONG = "switch name {\n" + "".join(f'case "{n}":\n\treturn {n}\n' for n in range(12)) + "default:\n\treturn -1\n}"
PYTHON = """def read(path):
    prepare()
    try:
        text = load(path)
    except OSError as error:
        raise Broken(path) from error
    finally:
        close()
    return text"""
CAUGHT = """def load(path):
    file = where(path)
    try:
        with file.open() as f:
            return pickle.load(f)
    except (
        ValueError,
        EOFError,
    ):
        return None
    else:
        log()"""
JAVA = """    int total(
            int rate) {
        if (rate > 0) {
            return rate;
        } else {
            throw new Broken();
        }
    }"""


def shown(text: str, line: int, most: int, first: int = 0) -> list[int]:
    return blocks.around("a.py", text.split("\n"), line, most, first)


@pytest.mark.parametrize(
    ("text", "line", "most", "numbers"),
    [
        (GO, 7, 8, [1, 3, 4, 5, 6, 7, 8, 9, 10]),  # the whole switch, although its branches stand at its own depth
        (
            LONG,
            13,
            4,
            [1, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 26, 27, 28],
        ),  # a long one: the branch, its neighbours, and the default
        (PYTHON, 4, 7, [1, 3, 4, 5, 6, 7, 8]),  # a try with its handlers
        (PYTHON, 6, 7, [1, 3, 4, 5, 6, 7, 8]),
        (CAUGHT, 5, 5, [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),  # one that is too long keeps which errors it catches
        (JAVA, 6, 6, [1, 3, 4, 5, 6, 7]),  # an if with its else, and the head of what holds it
    ],
)
def test_a_block_is_shown_with_its_branches(text: str, line: int, most: int, numbers: list[int]) -> None:
    """Never up to the branch that decides."""
    assert shown(text, line, most) == numbers


def test_a_long_definition_is_opened_without_its_comments() -> None:
    """In whole statements: what is left out shows in the numbers."""
    text = 'def go(x):\n    """Go.\n\n    Far.\n    """\n    # why\n    a = x\n    if a:\n        one()\n        two()\n    return a'
    assert blocks.opening_lines("a.py", text.split("\n"), 1, 4) == [1, 7]
    assert blocks.opening_lines("a.py", text.split("\n"), 1, 5) == [1, 7, 8, 9, 10]


def test_a_function_that_only_passes_on_is_known_by_its_body() -> None:
    """Its docstring and its brackets do not count; a function with steps of its own is no wrapper."""
    thin = ["def rate(x):", '    """Pass on."""', "    return compute_rate(x)"]
    assert blocks.passes_on("a.py", thin, 1, 3) == ["compute_rate"]
    assert blocks.passes_on("a.py", PYTHON.split("\n"), 1, 9) == []


def test_however_a_file_is_indented_the_lines_shown_are_few() -> None:
    """A staircase, and a flat file of branches."""
    stairs = [" " * number + "if x:" for number in range(3_000)]
    assert len(blocks.around("a.py", stairs, 3_000, 12)) <= 14
    assert len(blocks.around("a.py", ["else:", " x"] * 20_000, 3, 12)) <= 14


ALLMAN = (
    "    static int Total(\n        int rate)\n    {\n"
    + "        Step();\n" * 30
    + "    }\n\n    static int Other() => 1;"
)
RUST = (
    "impl<T> Store for Shelf<T>\nwhere\n    T: Copy,\n{\n    fn total(\n        &self,\n    ) -> u8 {\n"
    + "        step();\n" * 30
    + "    }\n}"
)


@pytest.mark.parametrize(("text", "line", "shown", "last"), [(ALLMAN, 1, 12, 34), (RUST, 5, 12, 38), (RUST, 1, 4, 39)])
def test_a_head_of_several_lines_opens_its_block(text: str, line: int, shown: int, last: int) -> None:
    """The bracket may be on a line of its own or end the head. Of a long block more than the head is shown."""
    rows = text.split("\n")
    assert blocks.statement(rows, line).end == last
    assert len(blocks.opening_lines("a", rows, line, 12)) == shown


def test_heads_are_whole() -> None:
    """The conditions of a type and a bracket on a line of its own belong to them."""
    assert blocks.heads(RUST.split("\n"), 9) == [5, 6, 7, 1, 2, 3, 4]
    assert blocks.heads(ALLMAN.split("\n"), 5) == [1, 2, 3]


def test_an_item_is_no_head_of_the_next_one() -> None:
    """A list of values and objects."""
    rows = ["[", "  1,", "  {", "    a: 1,", "  },", "]"]
    assert blocks.statement(rows, 2).end == 2
