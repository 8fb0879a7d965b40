import random

from hypothesis import given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from bot.findings import suppress
from bot.text import globs

PIECES = ["a", "b", "*", "**", "/", "?", "[ab]", "/**/", "**/", "a*", "*b", "!"]


def test_patterns_match_what_they_match_in_the_library() -> None:
    """Thousands of random patterns over random paths."""
    dice = random.Random(7)  # noqa: S311 - no secret
    for _ in range(4_000):
        pattern = "".join(dice.choices(PIECES, k=dice.randint(1, 8)))
        try:
            spec = GitIgnoreSpec.from_lines([pattern], backend="simple")
        except ValueError:
            continue
        for _ in range(5):
            path = "/".join("".join(dice.choices("ab", k=dice.randint(1, 3))) for _ in range(dice.randint(1, 4)))
            assert globs.matches([pattern], path) == spec.match_file(path), (pattern, path)


def test_many_stars_do_not_try_every_way_to_share_a_path_out() -> None:
    """Each of these took longer than anybody waits."""
    assert not globs.matches(["a*" * 40 + "b"], "a" * 200)
    assert not globs.matches(["/**/x" * 30 + "/y"], "x/" * 500 + "z")
    assert not globs.matches(["**/a*/" * 30 + "z"], "aa/" * 500 + "y")
    for piece in (
        "*a",
        "[a-z]*",
        "?*",
        "**/a*",
        "**/*a*",
        "*[!b]*",
        "a*?",
        "**/",
        "*/*",
        "**a**",
        "\\a*",
        "*?",
        "**/*?*?*?/",
    ):
        for path in ("a" * 4_000, "a/" * 2_000 + "b", "a" * 255 + "/" + "a" * 255):
            assert not globs.matches([f"{piece * 40}!"], path)


# Characters that the form of .gitignore gives a meaning, drops at the ends of a line, or takes for the end of one.
ODD = " \t\r\n\x0b\x0c\x1c\x1f\x85\u00a0\u2003\u2028\ufeff\u200b\\*?[]!#{},^$.|()=-~\u0130i\u0301"
PARTS = st.text(alphabet=st.one_of(st.sampled_from(ODD), st.sampled_from("ab")), min_size=1, max_size=6).filter(
    lambda part: part not in (".", "..")
)
NAMES = st.lists(PARTS, min_size=1, max_size=3).map("/".join)


@settings(max_examples=600, deadline=None)
@given(path=NAMES, other=NAMES)
def test_the_pattern_of_one_file_means_that_file_alone(path: str, other: str) -> None:
    """Not its folder, what lies below a folder of that name, a sibling, or the name in another folder; alone and after other patterns."""
    pattern = suppress.only(path)
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
