from hypothesis import given, settings
from hypothesis import strategies as st

from bot import globs
from bot.findings import silencing

# Characters that .gitignore syntax interprets, strips at line ends or treats as line breaks.
ODD = " \t\r\n\x0b\x0c\x1c\x1f\x85\u00a0\u2003\u2028\ufeff\u200b\\*?[]!#{},^$.|()=-~\u0130i\u0301"
PARTS = st.text(alphabet=st.one_of(st.sampled_from(ODD), st.sampled_from("ab")), min_size=1, max_size=6).filter(
    lambda part: part not in (".", "..")
)
NAMES = st.lists(PARTS, min_size=1, max_size=3).map("/".join)


@settings(max_examples=200, deadline=None)
@given(path=NAMES, other=NAMES)
def test_pattern_for_one_file_matches_only_that_file(path: str, other: str) -> None:
    """The pattern for one file matches no folder, sibling or similar path."""
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
        assert "\n" in near or not globs.matches([pattern, "!/**"], near)  # `**` doesn't match a line break


def test_gitignore_pattern_keeps_its_meaning() -> None:
    """A .gitignore pattern still matches a folder and its contents; a leading `=` is special."""
    assert globs.matches(["/src"], "src/a.py")
    assert globs.matches(["a=b"], "x/a=b")
    assert globs.matches([r"\=a"], "x/=a")
    assert not globs.matches(["=a"], "x/=a")
