import pytest
from families import few

from bot.languages import cfamily
from bot.values import Outline


@pytest.mark.parametrize(
    ("here", "line", "target"),
    [
        ("src/a.c", '#include "dict.h"', "src/dict.h"),
        ("src/a.c", "#  include <dict.h>", "src/dict.h"),
        ("deps/lib/a.c", '#include "dict.h"', "deps/lib/dict.h"),
        ("tests/a.c", '#include "../src/dict.h"', "src/dict.h"),
        ("tests/a.c", '#include "net/socket.h"', "include/net/socket.h"),
        ("src/a.c", "#include <time.h>", None),
        ("src/a.c", '#include "time.h"', "compat/time.h"),
        ("src/a.c", '/* old:\n#include "dict.h"\n*/', None),
        ("src/a.c", '// #include "dict.h"', None),
        ("src/a.c", "#include MACRO", None),
        ("src/a.c", '#include "nothing.h"', None),
    ],
)
def test_an_include_means_a_file(here: str, line: str, target: str | None) -> None:
    """The includer's folder first, then the nearest path that ends like it; the C library is never in the tree."""
    paths = ["src/dict.h", "deps/lib/dict.h", "include/net/socket.h", "compat/time.h", here]
    found = cfamily.project(paths, {}).imports(here, f"{line}\n".encode())

    assert [item.target for item in found] == ([target] if target else [])


def _outline(source: str, path: str = "a.c") -> Outline:
    return cfamily.outline(path, source.encode(), "head")


def test_the_outline_of_a_header() -> None:
    """Everything an includer can name, with the members of types."""
    source = (
        'extern "C" {\n#define LIMIT 3\n#define F(a, b) a\ntypedef struct box {\n  int w, *h;\n  union { int x; };\n  int (*cb)(int);\n'
        "} box_t;\nenum kind { ONE, TWO };\nextern int count;\nint go(int a, ...);\ntypedef int (*handler)(int);\n}\n"
    )
    found = [(s.name, s.kind) for s in _outline(source, "a.hpp").symbols]

    assert found == [
        ("LIMIT", "variable"),
        ("F", "macro"),
        ("box", "class"),
        ("box.w", "variable"),
        ("box.h", "variable"),
        ("box.x", "variable"),
        ("box.cb", "variable"),
        ("kind", "type"),
        ("ONE", "variable"),
        ("TWO", "variable"),
        ("count", "variable"),
        ("go", "declaration"),
        ("handler", "type"),
    ]


@pytest.mark.parametrize(
    ("path", "source", "parameters", "opaque"),
    [
        ("a.c", "int f(int a, char *b) {}", [("a", "positional", True), ("b", "positional", True)], False),
        ("a.c", "int f(void) {}", [], False),
        ("a.c", "int f() {}", [], True),
        ("a.cpp", "int f() {}", [], False),
        ("a.c", "int f(a, b) int a; int b; {}", [], True),
        ("a.c", "static inline int *f(int n, ...) {}", [("n", "positional", True), ("...", "varargs", False)], False),
        ("a.cpp", "int f(int a, int b = 2) {}", [("a", "positional", True), ("b", "positional", False)], False),
        ("a.cpp", "template <class T> T f(T a) {}", [("a", "positional", True)], True),
        ("a.c", "int f(ARGS) {}", [("?", "positional", True)], True),
        ("a.c", "int f(int a[], int (*cb)(int)) {}", [("a", "positional", True), ("cb", "positional", True)], False),
    ],
)
def test_the_signature_of_a_function(
    path: str, source: str, parameters: list[tuple[str, str, bool]], opaque: bool
) -> None:
    """Names, kinds, defaults; opaque where the list promises nothing."""
    told = _outline(source, path).symbols[0].signature

    assert told is not None
    assert [(p.name, p.kind, p.is_required) for p in told.parameters] == parameters
    assert told.opaque is opaque


def test_methods_are_qualified_by_their_class() -> None:
    """Inside the class and outside, whatever the namespace; overloads of a method know each other."""
    source = "namespace n {\nclass Box : public Base {\n  int a();\n  int b(int x);\n  int b(int x, int y);\n};\nint Box::a() { return 1; }\n}\n"
    found = _outline(source, "a.cpp")

    assert [(s.name, s.kind, s.signature is not None and s.signature.opaque) for s in found.symbols] == [
        ("Box", "class", False),
        ("Box.b", "declaration", False),
        ("Box.b", "declaration", False),
        ("Box.a", "method", False),
    ]
    assert dict(found.bases)["Box"] == ("public", "Base")


@pytest.mark.parametrize(
    "source",
    few(
        [
            b"int f(void) { return " + b"(" * 100_000 + b"name" + b")" * 100_000 + b"; }\n",
            b"#if A\n" * 20_000 + b"int name;\n",
            b"namespace a {" * 50_000,
            (b"int name(int a) {\n" + b"    a += other(a, 1);\n" * 40 + b"    return a;\n}\n") * 5_000,
        ],
        0,
        1,
    ),
    ids=["brackets", "conditions", "namespaces", "5 MB"],
)
def test_large_and_deep_sources_end(source: bytes) -> None:
    """Deep nesting is refused, size is only read."""
    cfamily.outline("a.cpp", source, "head")
    cfamily.uses("a.cpp", source, {"absent"})


def test_a_header_that_reads_as_cpp_is_read_so() -> None:
    """A class is no error to the grammar of C: it takes it for a function."""
    outline = cfamily.outline("a.h", b"class Store {\n public:\n  int count_rows();\n};\n", "head")
    assert [symbol.name for symbol in outline.symbols] == ["Store", "Store.count_rows"]
