from hypothesis import given, settings
from hypothesis import strategies as st

from bot import globs
from bot.findings import silencing

# Characters that the form of .gitignore gives a meaning, drops at the ends of a line, or takes for the end of one.
ODD = " \t\r\n\x0b\x0c\x1c\x1f\x85\u00a0\u2003\u2028\ufeff\u200b\\*?[]!#{},^$.|()=-~\u0130i\u0301"
PARTS = st.text(alphabet=st.one_of(st.sampled_from(ODD), st.sampled_from("ab")), min_size=1, max_size=6).filter(
    lambda part: part not in (".", "..")
)
NAMES = st.lists(PARTS, min_size=1, max_size=3).map("/".join)


@settings(max_examples=200, deadline=None)
@given(path=NAMES, other=NAMES)
def test_the_pattern_of_one_file_means_that_file_alone(path: str, other: str) -> None:
    """Not its folder, what lies below a folder of that name, a sibling, or the name in another folder; alone and after other patterns."""
    pattern = silencing.only(path)
    globs.check(pattern)
    assert globs.matches([pattern], path)
    folder = path.rpartition("/")[0]
    beside = {
        f"{folder}/",
        f"{folder}/x" if folder else "x",
        f"{path}/x",
        f"x/{path}",
        f"{path}x",
        f"x{path}",
        f"{path}\n",
        path[:-1],
    }
    for near in (*beside, path.strip(), path.rstrip(), path.casefold(), other):
        assert globs.matches([pattern], near) == (near == path)
        assert globs.matches(["/none", pattern], near) == (near == path)
        assert "\n" in near or not globs.matches([pattern, "!/**"], near)  # its dot means no line break


def test_a_pattern_of_people_keeps_its_meaning() -> None:
    """A path that they have written as in .gitignore still means a folder and all in it; `=` alone at the beginning is new."""
    assert globs.matches(["/src"], "src/a.py")
    assert globs.matches(["a=b"], "x/a=b")
    assert globs.matches([r"\=a"], "x/=a")
    assert not globs.matches(["=a"], "x/=a")
