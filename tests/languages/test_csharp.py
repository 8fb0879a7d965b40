import pytest
from fakes import Repository
from told import Tree, rows

from deeprepo.impact import resolving
from deeprepo.impact.language import leading

CSHARP = leading("csharp")


def broken(repository: Repository, before: str, after: str, statement: str, using: str = "using Shop;") -> list[str]:
    """Return the rule and the line of each finding when a class changes that another file uses."""
    files: Tree = {
        "src/Cart.cs": f"namespace Shop;\n\n{before}\n",
        "app/Main.cs": f"{using}\nnamespace App {{\n  class Main {{\n    void Go() {{\n      {statement}\n    }}\n  }}\n}}\n",
    }
    pull = repository.change(files, {"src/Cart.cs": f"namespace Shop;\n\n{after}\n" if after else None})
    return [f"{rule}:{line}" for _, line, rule in rows(pull)]


@pytest.mark.parametrize(
    ("before", "after", "statement", "rule"),
    [
        ("public static class Cart { public static int Total(int a) => a; }", "public static class Cart { public static int Sum(string b) => 1; }", "Cart.Total(1);", "removed-symbol"),
        ("public static class Cart { public static int Total(int a) => a; }", "public static class Cart { public static int Total(int a, int b) => a; }", "Cart.Total(1);", "required-parameter"),
        ("public class Cart { public int Total(int a) => a; }", "public class Cart { public int Total() => 1; }", "new Cart().Total(1);", "arity"),
        ("public class Cart { public Cart(int a) { } }", "public class Cart { public Cart(int a, int b) { } }", "new Cart(1);", "required-parameter"),
        ("public class Cart { public int Total(int a, int b = 1) => a; }", "public class Cart { public int Total(int a, int c = 1) => a; }", "new Cart().Total(1, b: 2);", "keyword"),
        ("public enum Kind { Red, Blue }", "public enum Kind { Red }", "var k = Kind.Blue;", "removed-symbol"),
        ("public record Point(int X);", "public record Point(int X, int Y);", "new Point(1);", "required-parameter"),
        ("public static class Cart { public const int Max = 1; }", "public static class Cart { public const int Limit = 1; }", "var m = Cart.Max;", "removed-symbol"),
        ("public class Cart { public int Size { get; set; } }", "public class Cart { }", "var n = new Cart().Size;", "removed-symbol"),
        ("public class Cart { }", "", "new Cart();", "removed-symbol"),
    ],
)  # fmt: skip
def test_broken_caller_is_reported(repository: Repository, before: str, after: str, statement: str, rule: str) -> None:
    """The caller compiled before the change and does not compile after it."""
    (found,) = broken(repository, before, after, statement)

    assert found.startswith(f"{rule}:")


@pytest.mark.parametrize(
    ("before", "after", "statement"),
    [
        ("public class Cart { public int Total(int a) => a; }", "public class Cart { public int Total(int a, int b = 1) => a; }", "new Cart().Total(1);"),
        ("public class Cart { public int Total(int a) => a; }", "public class Cart { public int Total(params int[] a) => 1; }", "new Cart().Total(1);"),
        ("public class Cart { public int Total(int a) => a; }", "public class Cart { public int Total() => 1; public int Total(long a) => 1; }", "new Cart().Total(1);"),
        ("public class Cart : Base { public int Total(int a) => a; }", "public class Cart : Base { public int Total() => 1; }", "new Cart().Total(1);"),
        ("public class Cart { public int Total(int a) => a; }", "public class Cart { public int Total() => 1; }", "Other c = null; c.Total(1);"),
        ("public class Cart { public override string ToString() => null; }", "public class Cart { }", "new Cart().ToString();"),
        ("public static class Cart { public static int Total(int a) => a; }", "public static class Cart { public static int Sum(string b) => 1; }", 'var s = "Cart.Total(1)"; // Cart.Total(1)'),
        ("public static class Cart { public static void Log(string s) { } }", "public static class Cart { public static void Log(string s, [CallerMemberName] string n = null) { } }", 'Cart.Log("x");'),
    ],
)  # fmt: skip
def test_valid_or_unknown_call_is_not_reported(repository: Repository, before: str, after: str, statement: str) -> None:
    """Calls that still match, or whose receiver or base class is unknown, are not reported."""
    assert broken(repository, before, after, statement) == []


def test_member_moved_to_another_part_of_a_partial_class_is_found(repository: Repository) -> None:
    """A member that moves to another part of its partial class is still found."""
    before: Tree = {
        "a/Cart.cs": "namespace Shop;\npublic static partial class Cart {\n  public static int Total() => 1;\n}\n",
        "a/Cart.Sums.cs": "namespace Shop;\npublic static partial class Cart {\n}\n",
        "a/Main.cs": "namespace Shop;\nclass Main {\n  int x = Cart.Total();\n}\n",
    }
    after: Tree = {"a/Cart.cs": before["a/Cart.Sums.cs"], "a/Cart.Sums.cs": before["a/Cart.cs"]}

    assert rows(repository.change(before, after)) == []


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("using Shop.Core;\nclass Main { Cart c; }", {"Cart"}),
        ("namespace Shop.Core.Deep { class Main { Cart c; } }", {"Cart"}),
        ("using static Shop.Core.Cart;\nclass Main { int x = Total(); }", {"*"}),
        ("using C = Shop.Core.Cart;\nclass Main { C c; }", {"Cart"}),
        ("using Shop.Core;\nclass Main { int x = 1.Twice(); }", {"Twice"}),
        ("using Other;\nclass Main { Cart c; }", None),
        ('using Shop.Core;\nclass Main { string s = "Cart"; } // Cart', None),
        ("using Shop.Core;\nclass Main { Other.Cart c; }", None),
    ],
)
def test_names_resolve_through_usings_namespaces_and_aliases(source: str, names: frozenset[str] | None) -> None:
    """Names resolve through usings, outer namespaces, aliases and extension methods."""
    home = (
        b"namespace Shop.Core;\npublic class Cart { }\n"
        b"public static class Numbers { public static int Twice(this int a) => a; }\n"
    )
    project = resolving.project(CSHARP, ["a/Cart.cs", "b/Main.cs"], {})
    project.register("a/Cart.cs", home)
    found = project.links("b/Main.cs", source.encode(), project.clues("a/Cart.cs").words)

    assert {(item.target, item.names) for item in found} == ({("a/Cart.cs", frozenset(names))} if names else set())


def test_global_using_applies_to_every_file_in_its_project() -> None:
    """A global using applies to all files in its project and to no other project."""
    home = b"namespace Shop;\npublic class Cart { }\n"
    for name, config in (("a/GlobalUsings.cs", b"global using Shop;\n"), ("a/a.csproj", b'<Using Include="Shop" />')):
        configs = {"a/a.csproj": b"", "b/b.csproj": b"", name: config}
        project = resolving.project(CSHARP, ["a/Cart.cs", "a/in/Main.cs", "b/Main.cs"], configs)
        project.register("a/Cart.cs", home)

        assert [item.line for item in project.links("a/in/Main.cs", b"class Main {\n Cart c; }")] == [2]
        assert project.links("b/Main.cs", b"class Main {\n Cart c; }") == ()


def test_annotations_on_a_partial_class_count_as_bases() -> None:
    """A source generator may add members to an annotated class, so the annotations count as bases."""
    source = b"[Made] public partial class Cart : Base<int> {\n  [Seen] private string name = null;\n}\nclass Plain { [Seen] int a; }\n"
    bases = dict(resolving.outline("Cart.cs", source, "head").bases)

    assert set(bases["Cart"]) == {"Base", "[Made] class Cart : Base<int>", "[Seen] string name"}
    assert bases["Plain"] == ()


def test_directive_in_the_head_of_a_class_names_nothing() -> None:
    """The name of a directive is no definition, although the grammar takes it for the class's name."""
    source = b"public class Reader\n#if NET5\n  : IDisposable\n#endif\n{\n  public int Size;\n}\npublic class Row { }\n"
    names = {one.name for one in resolving.outline("Reader.cs", source, "head").definitions}

    assert "Row" in names
    assert "NET5" not in names
