import asyncio

from fakes import Repository

from bot import diff
from bot.checkout import Checkout
from bot.values import ChangedFile, PullRequest

LONG = "\n".join(f"line {number}" for number in range(40)) + "\n"


def changed(pull: PullRequest) -> dict[str, ChangedFile]:
    """The changed files by path."""

    async def read() -> tuple[ChangedFile, ...]:
        async with Checkout(pull) as tree:
            return diff.read(await tree.change())

    return {file.path: file for file in asyncio.run(read())}


def one(
    repository: Repository, before: str | bytes | None, after: str | bytes | None, name: str = "a.py"
) -> ChangedFile:
    """The one file that a change touches."""
    (file,) = changed(repository.change({name: before} if before is not None else {}, {name: after})).values()
    return file


def test_added_and_removed_lines_are_numbered_on_their_own_side(repository: Repository) -> None:
    """The second line is replaced by two."""
    file = one(repository, "a\nb\nc\n", "a\nx\ny\nc\n")
    assert (file.status, file.added_lines, file.removed_lines) == ("modified", {2, 3}, {2})


def test_a_rename_with_an_edit_keeps_both_names(repository: Repository) -> None:
    """Comments belong to the new path, the old content is found under the old one."""
    file = changed(repository.change({"old.py": LONG}, {"old.py": None, "new.py": LONG + "more\n"}))["new.py"]
    assert (file.status, file.old_path, file.skip, file.added_lines) == ("renamed", "old.py", None, {41})


def test_a_case_only_rename_is_a_rename(repository: Repository) -> None:
    """Two paths that differ by case are two paths."""
    file = changed(repository.change({"Name.py": LONG}, {"Name.py": None, "name.py": LONG}))["name.py"]
    assert (file.status, file.skip) == ("renamed", "renamed without a change of content")


def test_an_added_and_a_deleted_file_have_one_side(repository: Repository) -> None:
    """The old path of a new file is None; a deleted file stands under its old path."""
    files = changed(repository.change({"gone.py": "x\n"}, {"gone.py": None, "new.py": "y\n" * 3}))
    assert (files["new.py"].status, files["new.py"].old_path) == ("added", None)
    assert (files["gone.py"].status, files["gone.py"].removed_lines) == ("deleted", {1})


def test_a_mode_change_alone_is_listed(repository: Repository) -> None:
    """Nothing in it can be reviewed, and the reader sees that."""
    base = repository.commit({"run.sh": "echo\n"})
    repository.git("update-index", "--chmod=+x", "run.sh")
    repository.git("commit", "-qm", "mode")
    file = changed(repository.pull(base, repository.git("rev-parse", "HEAD")))["run.sh"]
    assert (file.note, file.skip) == ("mode 100644 to 100755", "only the file mode changed")


def test_a_missing_final_newline_is_no_line(repository: Repository) -> None:
    """Git's remark about it is not content."""
    file = one(repository, "a\nb", "a\nc")
    assert [line.text for line in file.hunks[0].lines] == ["a", "b", "c"]


def test_crlf_lines_lose_their_carriage_return_once(repository: Repository) -> None:
    """The text is the line as an editor shows it."""
    file = one(repository, b"a\r\nb\r\n", b"a\r\nc\r\n")
    assert [line.text for line in file.hunks[0].lines if line.kind == "+"] == ["c"]


def test_odd_line_separators_do_not_split_a_line(repository: Repository) -> None:
    """Git splits at line feeds alone; form feeds and Unicode separators are text."""
    file = one(repository, "a\n", "a\x0c\u2028\x85b\n")
    assert file.added_lines == {1}


def test_text_that_looks_like_a_diff_is_text(repository: Repository) -> None:
    """A patch inside a file cannot end the file's own section."""
    inner = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n"
    files = changed(repository.change({"a.txt": "x\n", "z.py": "1\n"}, {"a.txt": inner, "z.py": "2\n"}))
    assert files["a.txt"].added_lines == frozenset(range(1, 7))
    assert files["z.py"].added_lines == {1}


def test_other_encodings_are_read(repository: Repository) -> None:
    """A byte that is not valid UTF-8 becomes the replacement character; line numbers do not change."""
    file = one(repository, b"caf\xe9\n", b"caf\xe9\nth\xe9\n")
    assert file.added_lines == {2}


def test_odd_file_names_are_whole(repository: Repository) -> None:
    """Git quotes such names in the patch; the status has them as they are."""
    names = ["new\nline.py", 'quo"te.py', "smile 🙂.py", "a..b.py", "--option.py", "tab\t.py", "back\\slash.py"]
    files = changed(repository.change(dict.fromkeys(names, "a\n"), dict.fromkeys(names, "b\n")))
    assert {(path, file.added_lines, file.skip) for path, file in files.items()} == {
        (name, frozenset({1}), None) for name in names
    }


def test_a_name_that_is_not_utf8_is_shown_with_its_bytes(repository: Repository) -> None:
    """The content is read by object id, so the name need not be typed back."""
    blob = repository.git("hash-object", "-w", "--stdin", stdin=b"x\n")
    base = repository.commit({"a": "1"})
    tree = repository.git("mktree", "-z", stdin=b"100644 blob " + blob.encode() + b"\tcaf\xe9.py\0")
    head = repository.git("commit-tree", tree, "-p", base, "-m", "x")
    assert changed(repository.pull(base, head))["caf\\xe9.py"].added_lines == {1}


def test_what_needs_no_review_says_why(repository: Repository) -> None:
    """The reason is what the coverage table prints."""
    rows: dict[str, tuple[str | bytes, str]] = {
        "picture.png": (b"\x89PNG\0\0", "binary file"),
        "package-lock.json": ('{"a": 1}\n', "lock file"),
        "vendor/lib.go": ("package lib\n", "vendored code"),
        "app.min.js": ("a()\n", "generated file"),
        "api_pb2.py": ("x = 1\n", "generated file"),
        "tests/__snapshots__/page.svg": ("<svg/>\n", "generated file"),
        "gen.go": ("// Code generated by stringer. DO NOT EDIT.\npackage x\n", "generated file"),
        "bundle.js": ("a();" * 1000 + "\n", "minified"),
        "empty.py": ("", "empty file"),
    }
    files = changed(repository.change({}, {name: content for name, (content, _) in rows.items()}))
    assert {name: file.skip for name, file in files.items()} == {name: reason for name, (_, reason) in rows.items()}


def test_gitattributes_of_the_base_decide_what_is_generated(repository: Repository) -> None:
    """The base's rules mark a file; an explicit `-linguist-generated` takes a mark away."""
    rules = "*.gen.py linguist-generated\napi_pb2.py -linguist-generated\n"
    files = changed(repository.change({".gitattributes": rules}, {"a.gen.py": "1\n", "api_pb2.py": "1\n"}))
    assert files["a.gen.py"].skip == "generated, according to .gitattributes"
    assert files["api_pb2.py"].skip is None


def test_a_change_cannot_hide_its_own_files(repository: Repository) -> None:
    """Rules that the change itself brings are not believed."""
    files = changed(repository.change({}, {".gitattributes": "evil.py linguist-generated\n", "evil.py": "1\n"}))
    assert files["evil.py"].skip is None


def test_submodules_and_links_are_listed(repository: Repository) -> None:
    """Both hold no text of this repository."""
    base = repository.commit({"a": "1"})
    (repository.folder / "link").symlink_to("a")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{base},module")
    repository.git("add", "link")
    repository.git("commit", "-qm", "x")
    files = changed(repository.pull(base, repository.git("rev-parse", "HEAD")))
    assert files["link"].skip == "symbolic link"
    assert files["module"].skip == "submodule: its code is in another repository"


def test_a_file_that_becomes_a_link_keeps_the_files_after_it_in_step(repository: Repository) -> None:
    """A change of type has two sections in git's patch and one row in its status."""
    base = repository.commit({"b": "1\n", "c.py": "1\n"})
    (repository.folder / "b").unlink()
    (repository.folder / "b").symlink_to("c.py")
    head = repository.commit({"c.py": "2\n"})
    files = changed(repository.pull(base, head))
    assert (files["b"].skip, files["c.py"].added_lines) == ("symbolic link", {1})
