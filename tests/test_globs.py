import random

from pathspec import GitIgnoreSpec

from bot import globs

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
