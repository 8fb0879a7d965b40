import pytest

from deeprepo.impact import resolving
from deeprepo.impact.language import leading

GO = leading("go")

PATHS = ["go.mod", "a.go", "api/v3/api.go", "api/v3/go.mod", "internal/x/x.go", "internal/x/x_test.go", "ex/go.mod", "ex/main.go", "third/y/y.go"]  # fmt: skip
CONFIGS = {
    "go.mod": b'module "m.org/top" // comment\nreplace (\n\tm.org/top/api/v3 => ./api/v3\n\tother.org/y v1.2.3 => ./third/y\n)\n',
    "api/v3/go.mod": b"module m.org/top/api/v3\n",
    "ex/go.mod": b"module m.org/top/ex\n",
}


@pytest.mark.parametrize(
    ("path", "code", "found"),
    [
        ("a.go", 'import "m.org/top/internal/x"\nvar v = x.F', [("internal/x/x.go", ("*",), (("*", "x"),))]),
        ("a.go", "import (\n\tfoo `m.org/top/internal/x`\n)", [("internal/x/x.go", ("*",), (("*", "foo"),))]),
        ("a.go", 'import . "m.org/top/internal/x"', [("internal/x/x.go", ("*",), ())]),
        ("a.go", 'import "m.org/top/api/v3"\nvar v = api.F', [("api/v3/api.go", ("*",), (("*", "api"),))]),
        ("ex/main.go", 'import "m.org/top/api/v3"', []),
        ("a.go", '// import "m.org/top/internal/x"\n/* import "m.org/top/internal/x" */', []),
        ("internal/x/x_test.go", 'import "m.org/top/internal/x"\nvar v = x.F', [("internal/x/x.go", ("*",), (("*", "x"),))]),
    ],
)  # fmt: skip
def test_import_resolves_to_the_files_in_a_folder(path: str, code: str, found: list[object]) -> None:
    """An import resolves through the module or a `replace` directive to the folder's files, without tests."""
    imports = resolving.project(GO, PATHS, CONFIGS).links(path, f"package p\n\n{code}\n".encode())

    assert [(item.target, tuple(item.names), item.aliases) for item in imports] == found
