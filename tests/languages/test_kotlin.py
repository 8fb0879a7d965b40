import pytest
from fakes import Repository
from told import Tree, rows

import deeprepo
from deeprepo.impact import resolving
from deeprepo.impact.language import leading

JVM = leading("jvm")

HOME = "src/main/kotlin/shop/"
USER = "src/main/kotlin/app/Main.kt"


def broken(repository: Repository, before: str, after: str, imports: str, use: str) -> list[str]:
    """Return the rule and the line of each finding when a file changes that another one uses."""
    files: Tree = {
        f"{HOME}Cart.kt": f"package shop\n\n{before}\n",
        USER: f"package app\n\n{imports}\n\nfun go() {{\n  {use}\n}}\n",
    }
    return [
        f"{rule}:{line}"
        for _, line, rule in rows(repository.change(files, {f"{HOME}Cart.kt": f"package shop\n\n{after}\n"}))
    ]


@pytest.mark.parametrize(
    ("before", "after", "imports", "use", "rule"),
    [
        ("fun total(a: Int) = a", "fun sum(b: String) = b", "import shop.total", "total(1)", "removed-symbol:6"),
        ("fun total(a: Int) = a", "fun total(a: Int, b: Int) = a", "import shop.total", "total(1)", "required-parameter:6"),
        ("fun total(a: Int, b: Int = 1) = a", "fun total(a: Int) = a", "import shop.total", "total(1, b = 2)", "keyword:6"),
        ("class Cart(val a: Int)", "class Cart(val a: Int, val b: Int)", "import shop.Cart", "Cart(1)", "required-parameter:6"),
        ("enum class Kind { RED, BLUE }", "enum class Kind { RED }", "import shop.Kind", "val k = Kind.BLUE", "removed-symbol:6"),
        ("class Cart {\n  companion object {\n    fun make(a: Int) = a\n  }\n}", "class Cart {\n  companion object {\n    fun make() = 1\n  }\n}", "import shop.Cart", "Cart.make(1)", "arity:6"),
        ("class Cart { fun total(a: Int) = a }", "class Cart { fun total() = 1 }", "import shop.Cart", "val c: Cart = find()\n  c.total(1)", "arity:7"),
        ("fun String.asCart(a: Int) = a", "fun String.asBag(b: String) = b", "import shop.asCart", '"x".asCart(1)', "removed-symbol"),
        ("val rowLimit = 1", "val rows = 1", "import shop.rowLimit", "println(rowLimit)", "removed-symbol"),
        ("data class Cart(val a: Int, val b: Int = 1)", "data class Cart(val a: Int, val c: Int = 1)", "import shop.Cart", "Cart(1).copy(b = 2)", "keyword:6"),
        ("data class Cart(val a: Int) {\n  companion object {\n    fun of() = Cart(1)\n  }\n}", "data class Cart(val a: Int)", "import shop.Cart", "Cart.of()", "removed-symbol:6"),
        ("class Cart {\n  companion object {\n    const val MAX = 1\n  }\n}", "class Cart", "import shop.Cart", "println(Cart.MAX)", "removed-symbol:6"),
    ],
)  # fmt: skip
def test_broken_caller_is_reported(
    repository: Repository, before: str, after: str, imports: str, use: str, rule: str
) -> None:
    """The caller compiled before the change and does not compile after it."""
    (found,) = broken(repository, before, after, imports, use)

    assert found.startswith(rule)


@pytest.mark.parametrize(
    ("before", "after", "imports", "use"),
    [
        ("fun total(a: Int) = a", "fun total(a: Int, b: Int = 1) = a", "import shop.total", "total(1)"),
        ("fun total(a: Int) = a", "fun total(vararg a: Int) = 1", "import shop.total", "total(1)"),
        ("fun total(a: Int) = a", "fun total(b: () -> Unit) = b", "import shop.total", "total { 1 }"),
        ("fun total(a: Int) = a", "fun total() = 1", "", "total(1)"),
        ("class Cart { fun total(a: Int) = a }", "class Cart { fun total() = 1 }", "import shop.Cart", "find().total(1)"),
        ("class Cart : Base() { fun total(a: Int) = a }", "class Cart : Base() { fun total() = 1 }", "import shop.Cart", "Cart().total(1)"),
        ("data class Cart(val a: Int)", "data class Cart(val a: Int, val b: Int)", "import shop.Cart", "val c = Cart.make()\n  c.copy(a = 2)"),
        ("class Cart(val a: Int)", "class Cart(val b: Int)", "import shop.Cart", "Cart(1).copy(a = 2)"),
        ("data class Cart(val a: Int) { fun copy(b: Int) = b }", "data class Cart(val a: Int)", "import shop.Cart", "Cart(1).copy(1)"),
        ("class Cart { fun total(a: Int) = a }", "class Cart { fun total() = 1 }", "import shop.Cart", "with(x) { this.total(1) }"),
    ],
)  # fmt: skip
def test_valid_or_unknown_call_is_not_reported(
    repository: Repository, before: str, after: str, imports: str, use: str
) -> None:
    """Calls that still match, generated members and calls on unknown receivers are not reported."""
    assert broken(repository, before, after, imports, use) == []


def test_kotlin_class_is_found_from_java(repository: Repository) -> None:
    """A removed Kotlin class is reported in the Java file that imports it."""
    files: Tree = {
        f"{HOME}Cart.kt": "package shop\n\nclass Cart\n",
        "src/main/java/app/Main.java": "package app;\nimport shop.Cart;\nclass Main {\n  Cart cart = new Cart();\n}\n",
    }

    assert [rule for _, _, rule in rows(repository.change(files, {f"{HOME}Cart.kt": None}))] == ["removed-symbol"]


@pytest.mark.parametrize(
    ("package", "imports", "body", "names"),
    [
        ("app", "import shop.total", "fun go() = total(1)", {"total"}),
        ("app", "import shop.*", "fun go() = total(1)", {"total"}),
        ("shop", "", "fun go() = 1.total(2)", None),
        ("shop", "", "fun go() = 1.plus(2)", {"plus"}),
        ("app", "", "fun go() = shop.total(1)", {"total"}),
        ("shop", "", "fun total(a: Int) = a\nfun go() = total(1)", None),
        ("shop", "", "fun go() = 1 // total", None),
    ],
)
def test_top_level_names_are_found_by_parsing_the_file(
    package: str, imports: str, body: str, names: frozenset[str] | None
) -> None:
    """A Kotlin file's path doesn't say which names it defines, so the file itself is parsed.

    Only extensions follow a dot.
    """
    home, source = f"{HOME}Sums.kt", b"package shop\n\nfun total(a: Int) = a\nfun Int.plus(a: Int) = a\n"
    project = resolving.project(JVM, [home, USER], {})
    project.register(home, source)
    found = project.links(USER, f"package {package}\n{imports}\n{body}\n".encode(), frozenset({"total", "plus"}))

    assert [(item.target, item.names) for item in found] == ([(home, names)] if names is not None else [])


def test_annotated_class_without_a_body_is_in_the_outline() -> None:
    """An annotated class without a body, which the grammar misparses, is in the outline."""
    outline = resolving.outline(
        "a/Slow.kt", b"package a.b\n\n@Target(X.CLASS)\n@Keep(X.RUN)\nannotation class Slow\n", "head"
    )
    assert [(symbol.name, symbol.kind) for symbol in outline.definitions] == [("Slow", "class")]
    assert outline.complete


ONE_LINE = (
    "package shop\n\nimport dagger.hilt.android.AndroidEntryPoint\n\ndata class Order(val id: Int, val name: String, val paid: Boolean = false) {\n"
    '    companion object { fun of(id: Int): Order = Order(id, "x") }\n}\nfun render(order: Order, WIDTH): String = order.name\n'
    'fun Order.label(prefix: String = "#"): String = prefix + name\nval Order.short: String get() = name.take(3)\n'
    "sealed interface UiState { data object Loading : UiState; data class Success(val orders: List<Order>) : UiState }\n"
    "typealias Orders = List<Order>\nobject Prices { const val MAX = 3; fun max(n: Int) = n }\n"
)


def test_constructor_that_the_grammar_fails_to_parse_is_not_removed(repository: Repository) -> None:
    """A class that the grammar fails to parse after an edit elsewhere is not reported as removed."""
    uses = 'package shop;\n\nclass First {\n    Object first() { return new Order(1, "a", false); }\n}\n'
    repository.commit({"Order.kt": ONE_LINE.replace("WIDTH", "width: Int = 3"), "First.java": uses}, "before")
    repository.commit({"Order.kt": ONE_LINE.replace("WIDTH", "size: Int")}, "after")
    reviewed = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    assert (reviewed.findings, reviewed.open) == ((), ())


@pytest.mark.parametrize(
    ("field", "kept", "is_broken"),
    [("        field = Mutable<State>(first)\n", "    PinnedOnly,\n", False), ("", "", True)],
)
def test_definition_below_unknown_syntax_is_not_removed(
    repository: Repository, field: str, kept: str, is_broken: bool
) -> None:
    """Definitions below syntax that the grammar doesn't know are not reported as removed."""
    view = (
        "package shop\n\nclass View {{\n    val state: Flow<State>\n{field}\n    fun run() {{\n"
        '        state.update {{ it.copy(a = "${{it.a}}") }}\n    }}\n}}\n\nenum class Filter {{\n    All,\n{kept}}}\n'
    )
    user = "package app\n\nimport shop.Filter\n\nfun pick(): Filter = Filter.PinnedOnly\n"
    before, after = (view.format(field=f, kept=k) for f, k in (("", "    PinnedOnly,\n"), (field, kept)))
    repository.commit({"src/shop/View.kt": before, "src/app/User.kt": user}, "before")
    repository.git("checkout", "-q", "-b", "change")
    repository.commit({"src/shop/View.kt": after}, "change")
    found = deeprepo.analyze(repository.folder, "main..change")
    assert any(one.proven for one in found.broken) == is_broken
