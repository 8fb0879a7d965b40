import random
import subprocess
from dataclasses import replace
from datetime import date
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from bot.findings import suppress
from bot.text import globs
from bot.values import Finding

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


def test_named_classes_mean_what_they_mean_in_git(tmp_path: Path) -> None:
    """Each class alone, negated, and beside other characters, over every character of ASCII."""
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    forms = [
        f"x[{sign}[:{name}:]{rest}]" for name in globs.CLASSES for sign in ("", "!") for rest in ("", "_-", "[:digit:]")
    ]
    paths = ["x" + chr(code) for code in range(1, 127) if chr(code) not in "/\n"]
    for pattern in (*forms, "x[:alpha:]", "x[][:digit:]]", "x\\[[:alpha:]]"):
        (tmp_path / ".gitignore").write_text(pattern + "\n")
        ask = ["git", "-C", str(tmp_path), "check-ignore", "--no-index", "-z", "--stdin"]
        answer = subprocess.run(ask, input="\0".join(paths).encode(), capture_output=True, check=False).stdout
        assert [path for path in paths if globs.matches([pattern], path)] == answer.decode().split("\0")[:-1], pattern


SETS = [
    "[!a]",
    "[^a]",
    "[!0-9]",
    "[^a-b]",
    "[.-0]",
    "[!]]",
    "[]!]",
    "[^[:alpha:]]",
    "[![:space:]x]",
    "[+-:]",
    "[\\!a]",
    "\\[!a]",
]
AROUND = ["a", "b", "*", "?", "/", "*.b", "gen"]


def test_no_set_takes_a_slash_as_in_git(tmp_path: Path) -> None:
    """Hundreds of random patterns with sets, negated ones and ranges that a slash is between, over random paths: as git itself takes them."""
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    dice = random.Random(11)  # noqa: S311 - no secret
    names = ["a", "b", "gen", "gena", "gen.b", "0", "!a", "]", "x.b", "gen!"]
    paths = sorted({"/".join(dice.choices(names, k=dice.randint(1, 3))) for _ in range(150)} | {"gen/a.b", "a/b"})
    fixed = ["/gen[!0-9]*.b", "gen[^x]a", "/gen[.-0]a.b", "**/gen[!x]*/b"]
    parts = [[*dice.choices([*AROUND, *SETS], k=dice.randint(1, 4)), dice.choice(SETS)] for _ in range(250)]
    for pattern in fixed + ["".join(dice.sample(part, len(part))) for part in parts]:
        if (
            not globs.is_usable(pattern) or "**" in pattern[1:] or pattern.endswith("/")
        ):  # the library differs from git there
            continue
        (tmp_path / ".gitignore").write_text(pattern + "\n")
        ask = ["git", "-C", str(tmp_path), "check-ignore", "--no-index", "-z", "--stdin"]
        answer = subprocess.run(ask, input="\0".join(paths).encode(), capture_output=True, check=False).stdout
        assert [path for path in paths if globs.matches([pattern], path)] == answer.decode().split("\0")[:-1], pattern


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


@settings(max_examples=200, deadline=None)
@given(path=NAMES)
def test_an_entry_for_one_file_stays_exact_in_its_file(path: str) -> None:
    """What is written to disk and read again means the same file."""
    finding = Finding(path, "x", "t", "w", "c", "high", "logic", (), rule="F1", fingerprint="abc")
    for scope in ("rule", "path", "finding"):
        text = suppress.write(None, suppress.entry_for(finding, scope, "r"))  # type: ignore[arg-type]
        ignored = suppress.read(text.encode(), date.min)
        assert ignored.split([finding])[0] == ()
        for near in (f"{path}/x", f"x/{path}", f"{path} ", path.strip() or "x"):
            assert (ignored.split([replace(finding, path=near)])[0] == ()) == (near == path)


def test_a_pattern_of_people_keeps_its_meaning() -> None:
    """A path that they have written as in .gitignore still means a folder and all in it; `=` alone at the beginning is new."""
    assert globs.matches(["/src"], "src/a.py")
    assert globs.matches(["a=b"], "x/a=b")
    assert globs.matches([r"\=a"], "x/=a")
    assert not globs.matches(["=a"], "x/=a")
