import pytest
import step
from fakes import Repository

from bot.checkout import Checkout
from bot.diff import units
from bot.review.context.builder import ContextBuilder
from bot.review.context.searches import Searches
from bot.values import Dependents, Excerpt

Files = dict[str, str | bytes | None]
# Many new names with many readers, which must not displace the readers of removed names.
MANY = "".join(f"new_setting_{n} = {n}\n" for n in range(40))
READERS: Files = {f"use{n}.py": f"import conf\nprint(conf.new_setting_{n})\n" * 4 for n in range(40)}


def beside(repository: Repository, before: Files, after: Files) -> list[Excerpt]:
    """Return the code shown next to the whole change in one of several prompts."""
    pull = repository.change({**READERS, **before}, after)

    async def run(tree: Checkout, files: step.Files) -> list[Excerpt]:
        parts = units.cut(files, Dependents(), await step.texts(tree, files))
        return [*await ContextBuilder(Searches(tree, files), 4).of(parts)]

    return step.over(pull, run)


@pytest.mark.parametrize(
    ("path", "old", "new", "reader", "line"),
    [
        ("a.php", "$row = ['expires' => $t];\n", "$row = ['ends' => $t];\n", "v.blade.php", "{{ $row['expires'] }}\n"),
        ("A.java", "class A {\n  public String getStatusText() { return s; }\n}\n", "class A {\n}\n", "a.jelly", "<p>${it.statusText}</p>\n"),
        ("a.go", "type Row struct {\n\tElapsed int\n}\n", "type Row struct {\n\tTook int\n}\n", "a.tmpl", "{{ .Elapsed }}\n"),
        ("a.ts", "const state = 'done'\nsave(state)\n", "const state = 'finished'\nsave(state)\n", "a.sql", "select 1 where state = 'done';\n"),
        ("b.ts", "open(`${dir}/bundle-${n}.json`)\n", "open(`${dir}/parcel-${n}.json`)\n", "b.py", "import glob\nfound = glob.glob('bundle-*.json')\n"),
    ],
)  # fmt: skip
def test_line_that_uses_a_removed_name_comes_first(
    repository: Repository, path: str, old: str, new: str, reader: str, line: str
) -> None:
    before: Files = {path: old, reader: line, "conf.py": ""}
    found = beside(repository, before, {path: new, "conf.py": MANY})
    assert found[0].path == reader
    assert found[0].title.endswith("which no added line has")
    assert line.split("\n")[-2] in found[0].body


def test_line_with_a_removed_key_is_shown_with_its_neighbors(repository: Repository) -> None:
    """A line with the removed key is shown with its neighbors, which may contain the new key."""
    before: Files = {
        "a.py": "def load(c):\n    return c['old_profile']\n",
        "c.yml": "env:\n  old_profile: 1\n  new_profile: 1\n",
    }
    (first, *_) = beside(repository, before, {"a.py": "def load(c):\n    return c['new_profile']\n"})
    assert "3   new_profile: 1" in first.body


def test_keys_that_other_entries_contain_are_not_removed(repository: Repository) -> None:
    """Only values that no remaining entry contains count as removed with an entry."""
    row = '{"category_of": "%s"}'
    before: Files = {
        "app.json": f"[{row % 'first_row'},\n {row % 'second_row'},\n {row % 'third_row'}]\n",
        "a.py": "print(row['category_of'])\nuse('second_row')\n",
    }
    after: Files = {"app.json": f"[{row % 'first_row'},\n {row % 'third_row'}]\n"}
    titles = [one.title for one in beside(repository, before, after)]
    assert any("second_row" in title for title in titles)
    assert not any("category_of" in title and "no added line has" in title for title in titles)


def test_value_that_moves_to_another_file_is_not_removed(repository: Repository) -> None:
    before: Files = {"a.py": "KEY_NAME = 'row_limit'\n", "b.py": "x = 1\n", "c.sql": "select row_limit from t;\n"}
    found = beside(repository, before, {"a.py": "KEY_NAME = 'row_most'\n", "b.py": "x = 'row_limit'\n"})
    assert not any("removes" in one.title for one in found)


@pytest.mark.parametrize(("text", "is_shown"), [("__new part__", True), ("new part", False)])
def test_parser_that_only_shares_a_marker_with_the_writer_is_shown(
    repository: Repository, text: str, is_shown: bool
) -> None:
    """The parser of a text may name nothing that its writer names, apart from a marker near the changed lines."""
    writer = (
        "export function write(rows: Row[]) {\n  let out = '\\n"
        + text
        + "\\n';\n  out += `${rows[0]} ${rows[1]}`;\n}\n"
    )
    parser = f"const found = text.split('{text}').map((one) => one.match(/^(\\d+) (.*)/));\n"
    before: Files = {"src/write.ts": writer, "web/parse.ts": parser}
    found = beside(repository, before, {"src/write.ts": writer.replace("]} ${", "]} | ${")})
    assert any(one.path == "web/parse.ts" for one in found) == is_shown
