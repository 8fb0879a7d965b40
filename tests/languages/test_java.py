import pytest
from fakes import Repository
from told import rows

from deeprepo.impact import resolving
from deeprepo.impact.language import leading

JVM = leading("jvm")

HOME = "src/main/java/shop/"
USER = "src/main/java/app/Main.java"


def java(body: str, package: str = "shop", imports: str = "") -> str:
    return f"package {package};\n{imports}\n{body}\n"


def told(repository: Repository, before: str, after: str, user: str, imports: str = "import shop.Cart;") -> list[str]:
    """Return the rule and the line of each finding when Cart changes and another class uses it."""
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
        ("public Cart(int a) { }", "public Cart(int a, String b) { }", "new Cart(1);", "required-parameter"),
        ("public static final int MAX = 1;", "public static final int LIMIT = 1;", "int x = Cart.MAX;", "removed-symbol"),
        ("public enum Kind { RED, BLUE }", "public enum Kind { RED }", "Cart.Kind k = Cart.Kind.BLUE;", "removed-symbol"),
        ("public record Point(int x, int y) {}", "public record Point(int x, int y, int z) {}", "new Cart.Point(1, 2);", "required-parameter"),
    ],
)  # fmt: skip
def test_broken_caller_is_reported(repository: Repository, before: str, after: str, statement: str, rule: str) -> None:
    """The caller compiled before the change and does not compile after it."""
    user = f"class Main {{\n  void go() {{ {statement} }}\n}}"

    assert told(repository, CART.format(before), CART.format(after), user) == [f"{rule}:4"]


@pytest.mark.parametrize(
    ("before", "after", "statement"),
    [
        ("public int total(int a) { return a; }", "public int total(int... a) { return 1; }", "new Cart().total(1);"),
        ("public int total(int a) { return a; }", "public int total(int a) { return a; } public int total() { return 1; }", "new Cart().total(1);"),
        ("public int total(int a) { return a; } public int total(long a, int b) { return 1; }", "public int total(long a) { return 1; } public int total(long a, int b) { return 1; }", "new Cart().total(1);"),
        ("public int total(int a) { return a; }", "public int total() { return 1; }", "find().total(1);"),
        ("public String toString() { return null; }", "", "new Cart().toString();"),
        ("public static int total(int a) { return a; }", "public static int sum(int a) { return a; }", 'String s = "Cart.total(1)"; // Cart.total(1)'),
        ("public int total(int a) { return a; }", "public int total() { return 1; }", "for (Other cart : all) { cart.total(1); }"),
    ],
)  # fmt: skip
def test_valid_or_unknown_call_is_not_reported(repository: Repository, before: str, after: str, statement: str) -> None:
    """Calls that still match, calls on other or unknown classes, and strings are not reported."""
    user = f"class Main {{\n  void go() {{ {statement} }}\n}}"

    assert told(repository, CART.format(before), CART.format(after), user) == []


def test_removed_class_in_the_same_package_is_reported_without_an_import(repository: Repository) -> None:
    """A class in the same package that uses a removed class without an import is reported."""
    files = {
        f"{HOME}Cart.java": java("class Cart { }"),
        f"{HOME}Shop.java": java("class Shop {\n  Cart cart;\n}"),
        f"{HOME}Note.java": java('class Note {\n  // Cart\n  String s = "Cart";\n}'),
        "src/main/java/other/Mine.java": java("class Mine {\n  Cart cart;\n}", "other"),
    }
    pull = repository.change(files, {f"{HOME}Cart.java": None})

    assert rows(pull) == [(f"{HOME}Shop.java", 4, "removed-symbol")]


def test_class_moved_to_another_source_root_is_found(repository: Repository) -> None:
    """A class that moves to another source root, in the same package, breaks no importer."""
    files = {
        f"{HOME}Cart.java": java("public class Cart { }"),
        USER: java("class Main { Cart c; }", "app", "import shop.Cart;"),
    }
    moved = {f"{HOME}Cart.java": None, "core/src/main/java/shop/Cart.java": java("public class Cart { }")}

    assert rows(repository.change(files, moved)) == []


def test_static_import_is_a_reference_to_the_member(repository: Repository) -> None:
    """A call through `import static shop.Cart.total` is reported when the method is removed."""
    before, after = CART.format("public static int total() { return 1; }"), CART.format("")
    user = "class Main { int x = total(); }"

    assert told(repository, before, after, user, "import static shop.Cart.total;") == ["removed-symbol:3"]


@pytest.mark.parametrize(
    ("statement", "body", "names"),
    [
        ("import shop.Cart;", "Cart c;", {"Cart"}),
        ("import shop.*;", "Cart c;", {"Cart"}),
        ("import static shop.Cart.total;", "int x = total();", {"total"}),
        ("", "shop.Cart c;", {"Cart"}),
        ("import shop.Cart;", "/** {@link Cart} */ int x;", {"Cart"}),
        ("import shop.*;", "int x; // Cart", None),
        ("import other.*;", "class Cart {} Cart c;", None),
    ],
)
def test_imports_resolve_to_files(statement: str, body: str, names: frozenset[str] | None) -> None:
    """Imports, wildcards, static members and qualified names resolve to the class's file."""
    project = resolving.project(JVM, [f"{HOME}Cart.java", USER], {})
    found = project.links(USER, java(f"class Main {{ {body} }}", "app", statement).encode(), frozenset({"Cart"}))

    assert [(item.target, item.names) for item in found] == ([(f"{HOME}Cart.java", names)] if names is not None else [])
