"""The lines shown around a line: whole blocks, cut at statement boundaries."""

import pytest

from bot import blocks

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
        (GO, 7, 8, [1, 3, 4, 5, 6, 7, 8, 9, 10]),  # the whole switch, whose cases are not indented
        (
            LONG,
            13,
            4,
            [1, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 26, 27, 28],
        ),  # a long switch: the case, its neighbors and the default
        (PYTHON, 4, 7, [1, 3, 4, 5, 6, 7, 8]),  # a try with its handlers
        (PYTHON, 6, 7, [1, 3, 4, 5, 6, 7, 8]),
        (CAUGHT, 5, 5, [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),  # a long try still shows which errors it catches
        (JAVA, 6, 6, [1, 3, 4, 5, 6, 7]),  # an if with its else, and the enclosing header
    ],
)
def test_block_is_shown_with_its_branches(text: str, line: int, most: int, numbers: list[int]) -> None:
    """A line in a branch is shown with its sibling branches and the header of the block."""
    assert shown(text, line, most) == numbers
