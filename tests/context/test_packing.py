"""Which regions share a prompt."""

from hypothesis import given
from hypothesis import strategies as st

from bot.review.context.packing import pack, scale
from bot.values import Unit


def unit(path: str, number: int, tokens: int, risk: int = 0) -> Unit:
    return Unit(f"{path}:{number}", path, str(number), number, number, "head", "text", (), risk=risk, tokens=tokens)


sizes = st.lists(
    st.tuples(st.sampled_from(["a/x.py", "a/y.py", "b/z.py", "top.py"]), st.integers(1, 9_000)), max_size=60
)


@given(sizes)
def test_each_region_is_in_one_prompt_within_the_limit(wanted: list[tuple[str, int]]) -> None:
    """Each region is in exactly one group. Only a single large region may exceed the limit."""
    units = [unit(path, number, tokens) for number, (path, tokens) in enumerate(wanted)]
    groups = pack(units)
    total = sum(one.tokens for one in units)
    most = scale(units).most
    assert sorted(one.id for group in groups for one in group) == sorted(one.id for one in units)
    assert all(len(group) == 1 or sum(one.tokens for one in group) <= most for group in groups)
    assert len(groups) <= 2 * total / most + 1


def test_regions_of_one_file_stay_together() -> None:
    """A file's regions share a prompt if they fit; the prompt with the highest risk comes first."""
    units = [
        unit("a/x.py", 1, 8_000),
        unit("b/z.py", 2, 20_000, risk=9),
        unit("a/x.py", 3, 8_000),
        unit("a/y.py", 4, 7_900),
    ]
    assert [[one.name for one in group] for group in pack(units)] == [["2"], ["1", "3", "4"]]
