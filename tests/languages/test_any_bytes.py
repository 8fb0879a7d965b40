"""Every registered language handles arbitrary file contents."""

import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deeprepo.impact import resolving
from deeprepo.impact.filetypes import installed
from deeprepo.impact.language import leading
from deeprepo.impact.reading import reader

# Tokens with a meaning in some language; random bytes alone would be rejected early.
FORMS = (
    "import from export require include require_relative use mod pub class struct enum trait impl interface extends implements "
    "function def fn func package namespace using go.mod module replace => -> :: . .. / * ( ) { } [ ] < > ; , : \" ' ` # // /* */ \\ "
    "= a A self this super crate index.js ./a ../a a.b a\\b @a <?php <script> </script> #include #define #if #endif begin end do"
)
WORDS = [*FORMS.split(), "\n", "\t"]
SOURCES = st.one_of(
    st.binary(max_size=400), st.lists(st.sampled_from(WORDS), max_size=60).map(lambda words: " ".join(words).encode())
)


@pytest.mark.parametrize("name", installed())
@settings(max_examples=20, deadline=None)
@given(source=SOURCES, config=SOURCES)
@example(source=b"from./a import e", config=b"")  # a path at the root must not loop forever
def test_arbitrary_bytes_are_parsed_without_an_exception(name: str, source: bytes, config: bytes) -> None:
    """Outlines, uses, imports and configuration files are read without an exception."""
    language = leading(name)
    for suffix in language.suffixes:
        path, other = f"src/a/a{suffix}", f"src/b/index{suffix}"
        project = resolving.project(
            language, [path, other], {f"src/{one.replace('*', 'x')}": config for one in language.scope.configs}
        )
        outline = resolving.outline(path, source, "head")
        project.register(path, source)
        clues = project.clues(path)
        for item in (*project.links(other, source), *project.links(other, source, clues.words)):
            assert item.target in (path, other)
        lines = source.count(b"\n") + 1
        assert all(1 <= symbol.start <= symbol.end <= lines for symbol in outline.definitions)
        assert all(1 <= use.line <= lines for use in resolving.uses(path, source, {"a", "A", "self"}))


def test_suffix_lookup_loads_no_grammar() -> None:
    """Looking up which language a suffix belongs to loads no grammar."""
    code = (
        "import sys; from deeprepo.impact import filetypes, resolving; filetypes.installed(); "
        "resolving.outline('a.py', b'x = 1', 'head'); print('tree_sitter_python' in sys.modules, "
        "sorted(name for name in sys.modules if name.startswith(('tree_sitter_', 'deeprepo.impact.languages.go')) and '._' not in name))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True ['tree_sitter_python']\n"


@pytest.mark.parametrize("name", ["rust", "python", "javascript"])
def test_brackets_in_strings_do_not_make_code_too_deep(name: str) -> None:
    """A file with a thousand nested brackets is not read, but a file whose strings open as many is."""
    language, deep = leading(name), b"(" * 1000

    assert reader.facts(language, b"x(" + deep + b"1" + b")" * 1001) is None
    assert reader.facts(language, b"x('\\'', '" + deep + b'\', "\\"' + deep + b'", `' + deep + b"`)\n") is not None
