import pytest
from fakes import Repository
from families import few
from told import rows

from bot.languages import jvm

HOME = "src/main/java/shop/"
USER = "src/main/java/app/Main.java"


def java(body: str, package: str = "shop", imports: str = "") -> str:
    return f"package {package};\n{imports}\n{body}\n"


def told(repository: Repository, before: str, after: str, user: str, imports: str = "import shop.Cart;") -> list[str]:
    """The rule of each finding about a change of Cart that one class uses."""
    files = {f"{HOME}Cart.java": java(before), USER: java(user, "app", imports)}
    changed = {f"{HOME}Cart.java": java(after) if after else None}
    return [f"{rule}:{line}" for _, line, rule in rows(repository.change(files, changed))]


CART = "public class Cart {{ {} }}"


@pytest.mark.parametrize(
    ("before", "after", "statement", "rule"),
    [
        ("public static int total(int a) { return a; }", "public static int sum(int b) { return b; }", "Cart.total(1);", "removed-symbol"),
        ("public static int total(int a) { return a; }", "public static int total(int a, int b) { return a; }", "Cart.total(1);", "required-parameter"),
        ("public int total(int a) { return a; }", "public int total() { return 1; }", "Cart cart = new Cart(); cart.total(1);", "arity"),
        ("public int total(int a) { return a; }", "public int total() { return 1; }", "new Cart().total(1);", "arity"),
        ("public int total(int a) { return a; }", "public int total() { return 1; }", "var cart = new Cart(); cart.total(1);", "arity"),
        ("public Cart(int a) { }", "public Cart(int a, String b) { }", "new Cart(1);", "required-parameter"),
        ("public static final int MAX = 1;", "public static final int LIMIT = 1;", "int x = Cart.MAX;", "removed-symbol"),
        ("public enum Kind { RED, BLUE }", "public enum Kind { RED }", "Cart.Kind k = Cart.Kind.BLUE;", "removed-symbol"),
        ("public static class Line { public Line(int a) {} }", "public static class Line { public Line() {} }", "new Cart.Line(1);", "arity"),
        ("public int total(int a) { return a; } public int total(int a, int b) { return a; }", "public int total(int a, int b) { return a; }", "Cart c = new Cart(); c.total(1);", "arity"),
        ("public record Point(int x, int y) {}", "public record Point(int x, int y, int z) {}", "new Cart.Point(1, 2);", "required-parameter"),
    ],
)  # fmt: skip
def test_a_contract_that_breaks_is_reported(
    repository: Repository, before: str, after: str, statement: str, rule: str
) -> None:
    """The caller compiled before and does not compile now."""
    user = f"class Main {{\n  void go() {{ {statement} }}\n}}"

    assert told(repository, CART.format(before), CART.format(after), user) == [f"{rule}:4"]


@pytest.mark.parametrize(
    ("before", "after", "statement"),
    [
        ("public int total(int a) { return a; }", "public int total(int... a) { return 1; }", "new Cart().total(1);"),
        ("public int total(int a) { return a; }", "public int total(int a) { return a; } public int total() { return 1; }", "new Cart().total(1);"),
        ("public int total(int a) { return a; } public int total(long a, int b) { return 1; }", "public int total(long a) { return 1; } public int total(long a, int b) { return 1; }", "new Cart().total(1);"),
        ("public int total(int a) { return a; }", "public int total() { return 1; }", "Other cart = null; cart.total(1);"),
        ("public int total(int a) { return a; }", "public int total() { return 1; }", "find().total(1);"),
        ("public String toString() { return null; }", "", "new Cart().toString();"),
        ("public static int total(int a) { return a; }", "public static int sum(int a) { return a; }", 'String s = "Cart.total(1)"; // Cart.total(1)'),
        ("public int total(int a) { return a; }", "public int total() { return 1; }", "new Cart() { int total(int a) { return 2; } }.total(1);"),
        ("public int total(int a) { return a; }", "public int total() { return 1; }", "for (Other cart : all) { cart.total(1); }"),
        ("public int total(int a) { return a; }", "public int total() { return 1; }", "all.forEach(cart -> cart.total(1));"),
    ],
)  # fmt: skip
def test_what_fits_or_cannot_be_known_is_silent(
    repository: Repository, before: str, after: str, statement: str
) -> None:
    """Varargs, overloads that fit, receivers of other or unknown classes, text, and members of every object."""
    user = f"class Main {{\n  void go() {{ {statement} }}\n}}"

    assert told(repository, CART.format(before), CART.format(after), user) == []


def test_what_a_class_inherits_is_not_judged(repository: Repository) -> None:
    """A superclass, an interface's default method or generated code may still take the call."""
    for head in ("class Cart extends Base", "class Cart implements Priced", "@lombok.Data class Cart"):
        imports = "import lombok.Data;\n" if "lombok" in head else ""
        before = f"{imports}public {head.replace('@lombok.Data ', '')} {{ public int total(int a) {{ return a; }} }}"
        after = before.replace("total(int a) { return a; }", "sum() { return 1; }")
        user = "class Main {\n  void go() { new Cart().total(1); }\n}"

        assert told(repository, before, after, user) == [], head


def test_a_removed_type_is_reported_where_it_is_imported(repository: Repository) -> None:
    """The file is gone, and nothing of its name is left in the package."""
    assert told(repository, "public class Cart { }", "", "class Main { Cart cart; }") == ["removed-module:3"]


def test_a_removed_neighbour_needs_no_import_to_be_missed(repository: Repository) -> None:
    """Files of one package name each other without an import."""
    files = {
        f"{HOME}Cart.java": java("class Cart { }"),
        f"{HOME}Shop.java": java("class Shop {\n  Cart cart;\n}"),
        f"{HOME}Note.java": java('class Note {\n  // Cart\n  String s = "Cart";\n}'),
        "src/main/java/other/Mine.java": java("class Mine {\n  Cart cart;\n}", "other"),
    }
    pull = repository.change(files, {f"{HOME}Cart.java": None})

    assert rows(pull) == [(f"{HOME}Shop.java", 4, "removed-module")]


def test_a_type_that_moves_to_another_source_root_is_not_lost(repository: Repository) -> None:
    """An import names the package, not the folder above it."""
    files = {
        f"{HOME}Cart.java": java("public class Cart { }"),
        USER: java("class Main { Cart c; }", "app", "import shop.Cart;"),
    }
    moved = {f"{HOME}Cart.java": None, "core/src/main/java/shop/Cart.java": java("public class Cart { }")}

    assert rows(repository.change(files, moved)) == []


def test_static_imports_are_calls_of_the_member(repository: Repository) -> None:
    """`import static shop.Cart.total` breaks when the member goes."""
    before, after = CART.format("public static int total() { return 1; }"), CART.format("")
    user = "class Main { int x = total(); }"

    assert told(repository, before, after, user, "import static shop.Cart.total;") == ["removed-symbol:3"]


@pytest.mark.parametrize(
    ("statement", "body", "names"),
    [
        ("import shop.Cart;", "Cart c;", {"Cart"}),
        ("import shop.*;", "Cart c;", {"Cart"}),
        ("import shop.Cart.Line;", "Line l;", {"Line"}),
        ("import static shop.Cart.total;", "int x = total();", {"total"}),
        ("import static shop.Cart.*;", "int x = total();", {"*"}),
        ("", "shop.Cart c;", {"Cart"}),
        ("import shop.Cart;", "/** {@link Cart} */ int x;", frozenset()),
        ("import other.Cart;", "Cart c;", None),
        ("import shop.*;", "int x; // Cart", None),
        ("", "Cart c;", None),
        ("import other.*;", "class Cart {} Cart c;", None),
    ],
)
def test_imports_land_on_files(statement: str, body: str, names: frozenset[str] | None) -> None:
    """Packages, wildcards, nested types, static members and full names mean a file; comments and other packages do not."""
    project = jvm.project([f"{HOME}Cart.java", USER], {})
    found = project.imports(USER, java(f"class Main {{ {body} }}", "app", statement).encode(), frozenset({"Cart"}))

    assert [(item.target, item.names) for item in found] == ([(f"{HOME}Cart.java", names)] if names is not None else [])


def test_an_outline_tells_signatures() -> None:
    """Types, constructors, methods, constants and records, with the parameters that callers give."""
    source = java(
        "public class Cart<T> extends Base {\n"
        "  static final int MAX = 1;\n"
        "  Cart(int a) { }\n"
        "  @Override public <R> R total(final int a, String... rest) { return null; }\n"
        "  enum Kind { RED, BLUE; void paint() { } }\n"
        "  record Point(int x) { }\n"
        "}"
    ).encode()
    outline = jvm.outline("Cart.java", source, "head")
    shown = [
        (s.name, s.kind, s.signature and [(p.name, p.kind) for p in s.signature.parameters]) for s in outline.symbols
    ]

    assert shown == [
        ("Cart", "class", None),
        ("Cart.MAX", "variable", None),
        ("Cart.constructor", "method", [("a", "positional-only")]),
        ("Cart.total", "method", [("a", "positional-only"), ("rest", "varargs")]),
        ("Cart.Kind", "class", None),
        ("Cart.Kind.RED", "variable", None),
        ("Cart.Kind.BLUE", "variable", None),
        ("Cart.Kind.paint", "method", []),
        ("Cart.Point", "class", None),
        ("Cart.Point.constructor", "method", [("x", "positional-only")]),
        ("Cart.Point.x", "component", None),
    ]
    assert outline.names == {"Cart", "MAX", "Kind", "RED", "BLUE", "Point"}
    assert dict(outline.bases) == {"Cart": ("Base",), "Kind": (), "Point": ("Record",)}


@pytest.mark.parametrize("path", ["A.java", "A.kt"])
@pytest.mark.parametrize(
    "source",
    few([
        b"class A {" * 20_000,
        b"class A { void f() { " + b"(" * 50_000 + b"A" + b")" * 50_000,
        b"/*\n" * 100_000,
        b'"\n' * 50_000 + b"A",
        b"package a; class A { int x = " + b"1 + " * 20_000 + b"1; A a; }",
        b"A" * 5_000_000,
        b"import a.b.A;\n" * 20_000,
    ], 0, 2),
)  # fmt: skip
def test_long_and_deep_sources_are_read(path: str, source: bytes) -> None:
    """Nesting and length cost no more than reading."""
    project = jvm.project([path, "B.java"], {})
    project.learn(path, source, jvm.outline(path, source, "head"))
    assert project.imports("B.java", source, frozenset({"A"})) is not None
    assert jvm.uses(path, source[:200_000], {"A"}) is not None
