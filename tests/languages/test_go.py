import pytest
from families import few

from bot.languages import go
from bot.values import Symbol

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
        ("a.go", 'import ("fmt"; _ "m.org/top/internal/x")', [("internal/x/x.go", (), ())]),
        ("a.go", 'import . "m.org/top/internal/x"', [("internal/x/x.go", ("*",), ())]),
        ("a.go", 'import "m.org/top/api/v3"\nvar v = api.F', [("api/v3/api.go", ("*",), (("*", "api"),))]),
        ("ex/main.go", 'import "m.org/top/api/v3"', []),
        ("ex/main.go", 'import "m.org/top/internal/x"', []),
        ("a.go", 'import "m.org/top/ex"', []),
        ("a.go", 'import "m.org/topper"', []),
        ("a.go", '// import "m.org/top/internal/x"\n/* import "m.org/top/internal/x" */', []),
        ("a.go", 'func f() {\n\timport "m.org/top/internal/x"\n}', []),
        ("internal/x/x_test.go", 'import "m.org/top/internal/x"\nvar v = x.F', [("internal/x/x.go", ("*",), (("*", "x"),))]),
    ],
)  # fmt: skip
def test_an_import_means_the_files_of_a_folder(path: str, code: str, found: list[object]) -> None:
    """Through the module itself, a replacement or a workspace; never a test, never what is only published."""
    imports = go.project(PATHS, CONFIGS).imports(path, f"package p\n\n{code}\n".encode())

    assert [(item.target, tuple(item.names), item.aliases) for item in imports] == found


def test_a_replaced_module_is_found_under_its_published_name() -> None:
    """The name on the left of the arrow is what importers write."""
    project = go.project(
        ["go.mod", "third/y/go.mod", "third/y/y.go", "a.go"], {**CONFIGS, "third/y/go.mod": b"module y\n"}
    )
    (found,) = project.imports("a.go", b'package p\nimport "other.org/y"\n')

    assert found.target == "third/y/y.go"
    assert "other.org/y" in project.clues("third/y/y.go").words


def outlined(code: str) -> dict[str, Symbol]:
    return {symbol.name: symbol for symbol in go.outline("a.go", f"package a\n{code}\n".encode(), "head").symbols}


@pytest.mark.parametrize(
    ("code", "name", "told"),
    [
        ("func F(a, b int, c string) {}", "F", "a b c"),
        ("func F(int, string) error { return nil }", "F", "_ _"),
        ("func F(a int, rest ...string) {}", "F", "a *rest"),
        ("func F[T any, U comparable](a T) (b U, err error) { return }", "F", "a"),
        ("func (t *T[K, V]) M(a func(x, y int) bool) {}", "T.M", "a"),
        ("func (T) M() {}", "T.M", ""),
        ("type I interface {\n\tM(a int) error\n\tOther\n}", "I.M", "a"),
        ("func init() {}\nfunc init() {}", "init", "~"),
    ],
)
def test_a_signature_is_read(code: str, name: str, told: str) -> None:
    """Names that share a type count each; the receiver and the results do not."""
    signature = outlined(code)[name].signature
    assert signature is not None
    words = " ".join(f"{'*' if item.kind == 'varargs' else ''}{item.name}" for item in signature.parameters)

    assert f"{'~' if signature.opaque else ''}{words}" == told


def test_every_definition_is_found() -> None:
    """Functions, methods, types with fields, constants and variables in groups; a capital letter exports."""
    code = "type (\n\tT struct {\n\t\tEmb\n\t\ta, B int\n\t}\n\talias = T\n)\nconst (\n\tX = iota\n\ty\n)\nvar v, W = 1, 2\nfunc (t T) run() {}"
    found = outlined(code)

    assert [(s.name, s.kind, s.is_exported) for s in found.values()] == [
        ("T", "class", True), ("T.a", "variable", False), ("T.B", "variable", True), ("alias", "type", False),
        ("X", "variable", True), ("y", "variable", False), ("v", "variable", False), ("W", "variable", True),
        ("T.run", "method", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "types"),
    [
        ("func (t *T) f() { t.Go() }", ("T",)),
        ("func f(t []T, u p.U) { u.Go() }", ("p.U",)),
        ("func f() { x := T{}; x.Go() }", ("T",)),
        ("func f() { var x *T; x.Go() }", ("T",)),
        ("func f() { x, ok := y.(T); x.Go() }", ("T",)),
        ("func f() { x := new(T); x.Go() }", ("T",)),
        ("type S struct{ in *T }\nfunc (s S) f() { s.in.Go() }", ("T",)),
        ("func f() { x := make(); x.Go() }", ("?",)),
        ("func f(x T) { x := U{}; x.Go() }", ("?",)),
        ("func f(x ...T) { x.Go() }", ("?",)),
        ("func f() { for _, x := range y { x.Go() } }", ("?",)),
        ("func f() { p.Go() }", ("?",)),
    ],
)
def test_the_type_of_a_receiver_is_told_where_the_file_says_it(code: str, types: tuple[str, ...]) -> None:
    """Parameters, literals, declarations, assertions and fields; a name with two meanings has no type."""
    (use,) = go.uses("a.go", f"package a\n{code}\n".encode(), ["Go"])

    assert (use.form, use.types) == ("member", types)


LONG = [
    b"package a\nimport (\n" + b'"m/b"\n' * 800_000,
    b"/*" * 2_500_000,
    b"import \n" * 600_000,
    b"package a\nimport (`" + b"m/b" * 1_500_000,
]
DEEP = [
    b"package a\nvar x = " + b"(" * 2_000_000,
    b"package a\nvar x = " + b"a." * 5_000 + b"a",
    b"package a\nvar x = " + b"-" * 5_000 + b"a",
    b"package a\nimport (\n" + b'"m/b"\n' * 10_000,
]


@pytest.mark.parametrize("source", few(LONG, 0), ids=range(len(LONG)))
def test_the_imports_of_a_long_source_are_read(source: bytes) -> None:
    """Five megabytes cost a moment, whatever they hold."""
    assert len(go.project(["a.go", "b/b.go"], {"go.mod": b"module m\n"}).imports("a.go", source)) <= 1


@pytest.mark.parametrize("source", DEEP, ids=range(len(DEEP)))
def test_a_deep_source_ends(source: bytes) -> None:
    """Nesting that no person writes is looked at only so far."""
    go.outline("a.go", source, "head")
    go.uses("a.go", source, ["a", "b"])
