"""Scala: what a file defines, which packages see it, and which calls no longer match."""

import pytest
from fakes import Repository
from told import Tree, look, rows

HOME, USER = "src/main/scala/shop/Cart.scala", "src/main/scala/app/Main.scala"


def broken(
    repository: Repository, before: str, after: str, use: str, files: Tree | None = None, head: str = "import shop._"
) -> list[str]:
    """Return the rule and the line of each finding when a file changes that another package uses."""
    user = f"package app\n\n{head}\nobject Main {{\n  {use}\n}}\n"
    tree: Tree = {HOME: f"package shop\n\n{before}\n", USER: user, **(files or {})}
    return [f"{rule}:{line}" for _, line, rule in rows(repository.change(tree, {HOME: f"package shop\n\n{after}\n"}))]


@pytest.mark.parametrize(
    ("before", "after", "use", "rule"),
    [
        ("object A { def total(a: Int) = a }", "object A { def sum(a: Int) = a }", "A.total(1)", "removed-symbol:5"),
        ("object A { def total(a: Int) = a }", "object A { def total(a: Int, b: Int) = a }", "A.total(1)", "required-parameter:5"),
        ("object A { def total(a: Int)(implicit c: C) = a }", "object A { def total(a: Int, b: Int)(implicit c: C) = a }", "A.total(1)(c)", "required-parameter:5"),
        ("object A { def total(a: Int) = a }", "object A { def total() = 1 }", "A total 1", "arity:5"),
        ("class Cart(a: Int)", "class Cart(a: Int, b: Int)", "new Cart(1)", "required-parameter:5"),
        ("case class Cart(a: Int)", "case class Cart(a: Int, b: Int)", "val c = Cart(1)", "required-parameter:5"),
        ("class Cart { def total(a: Int) = a }", "class Cart { def total() = 1 }", "def go(cart: Cart) = cart.total(1)", "arity:5"),
        ("enum Kind { case RedOne, BlueOne }", "enum Kind { case RedOne }", "val k = Kind.BlueOne", "removed-symbol:5"),
        ("trait Priced", "trait Costly { def cost: Int }", "class Own extends Priced", "removed-symbol:5"),
        ("object A { type RowId = Int }", "object A { type Row = Int }", "def go(id: A.RowId) = id", "removed-symbol:5"),
        ("object A { val rowLimit = 1 }", "object A {}", "println(A.rowLimit)", "removed-symbol:5"),
    ],
)  # fmt: skip
def test_broken_caller_is_reported(repository: Repository, before: str, after: str, use: str, rule: str) -> None:
    """The caller compiled before the change and does not compile after it."""
    assert broken(repository, before, after, use) == [rule]


@pytest.mark.parametrize(
    ("before", "after", "use"),
    [
        ("object A { def total(a: Int) = a }", "object A { def total(a: Int, b: Int = 1) = a }", "A.total(1)"),
        ("object A { def total(a: Int) = a }", "object A { def total(a: Int*) = a }", "A.total(1, 2)"),
        ("object A { def total(a: Int, b: Int) = a }", "object A { def total(a: (Int, Int)) = a }", "A.total(1, 2)"),
        ("object A { def total(a: Int) = a }", "object A { def total(a: Int) = a\ndef total(a: Int, b: Int) = a }", "A.total(1)"),
        ("object A { def total(a: Int, b: Int) = a }", "object A { def total(a: Int)(b: Int) = a }", "A.total(1)(2)"),
        ("case class Cart(a: Int)", "case class Cart(a: Int, b: Int)\nobject Cart { def apply(a: Int) = new Cart(a, 1) }", "val c = Cart(1)"),
        ("class Cart { def rowCount = 1 }", "class Cart { export rows.rowCount }", "def go(cart: Cart) = cart.rowCount"),
        ("object A { def total(a: Int) = a }", "object A {}", "List(1).map { total => total + 1 }"),
        ("object A { def total(a: Int) = a }", "object A {}", 'println(s"total(1)") // A.total(1)'),
        ("object A { def sumRows(a: Int) = a }", "object A {}", "Files.sumRows(1)"),
    ],
)  # fmt: skip
def test_valid_or_unrelated_call_is_not_reported(repository: Repository, before: str, after: str, use: str) -> None:
    """Calls that still match, through defaults, tuples or `apply`, or that mean another name, are silent."""
    assert broken(repository, before, after, use) == []


@pytest.mark.parametrize(
    ("head", "use"),
    [
        ("import shop.{A, B}", "A.total(1)"),
        ("import shop.{A => Shop}", "Shop.total(1)"),
        ("import shop.*", "A.total(1)"),
        ("import scala.util.Try", "shop.A.total(1)"),
    ],
)
def test_removed_member_is_reported_through_every_import_form(repository: Repository, head: str, use: str) -> None:
    """A removed member is reported through selectors, renames, wildcards and qualified names."""
    before = "object A { def total(a: Int) = a }\nobject B"
    assert broken(repository, before, "object A\nobject B", use, head=head) == ["removed-symbol:5"]


def test_relative_import_resolves_in_the_same_package(repository: Repository) -> None:
    """`import A._` means the package's object `A`, but the file's own `A` takes precedence."""
    user = "package shop\n\nobject Main { import A._; totalRows(1) }\n"
    own = "package shop\n\nobject A { def totalRows(a: Int) = a }\nobject Own { import A._ }\n"
    other = "src/main/scala/shop/Own.scala"
    tree: Tree = {"src/main/scala/shop/Old.scala": "package shop\nobject A { def totalRows(a: Int) = a }\n", USER: user}
    change = repository.change({**tree, other: own}, {"src/main/scala/shop/Old.scala": None})
    assert {path for path, _, _ in rows(change)} <= {USER}


def test_scala_method_is_found_from_java(repository: Repository) -> None:
    """A removed Scala method is reported in the Java file that calls it."""
    user = "src/main/java/app/Main.java"
    tree: Tree = {
        HOME: "package shop\n\nclass Cart { def rowCount(): Int = 1 }\n",
        user: "package app;\n\nimport shop.Cart;\n\nclass Main { int go(Cart cart) { return cart.rowCount(); } }\n",
    }
    change = repository.change(tree, {HOME: "package shop\n\nclass Cart { def lineCount(): Int = 1 }\n"})
    assert rows(change) == [(user, 5, "removed-symbol")]


def test_deleted_replacement_for_a_java_class_breaks_nothing(repository: Repository) -> None:
    """A deleted replacement for a Java class breaks nothing, because Java itself has the class."""
    queue = "native/java/util/concurrent/Queue.scala"
    tree: Tree = {
        queue: "package java.util.concurrent\n\nclass Queue\n",
        USER: "package app\n\nimport java.util.concurrent.Queue\nobject Main { new Queue }\n",
    }
    assert look(repository.change(tree, {queue: None}))[1] == ()
