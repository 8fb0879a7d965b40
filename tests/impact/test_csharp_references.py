"""The names in new C# lines that the repository lacks."""

from trees import messages

from deeprepo.impact.language import language_of
from deeprepo.impact.reading import reader

SHOP = {
    "src/Shop/Shop.csproj": "<Project></Project>",
    "src/Shop/Money/Cents.cs": (
        'namespace Shop.Money;\n\npublic class Cents : Amount\n{\n    public const int Rate = 1;\n    public Cents(int amount, string currency = "") { }\n'
        "    public static Cents Of(int a, params object[] rest) => new(a);\n    public int Size { get; set; }\n}\n"
    ),
    "src/Shop/Money/Amount.cs": "namespace Shop.Money;\n\npublic class Amount\n{\n    public static int Zero;\n}\n",
    "src/Shop/Money/Color.cs": "namespace Shop.Money;\n\npublic enum Color { Red, Green = 2 }\n",
    "src/Shop/Money/Far.cs": "using Library;\nnamespace Shop.Money;\n\npublic class Far : Model { public static int A; }\n",
    "src/Shop/Money/Half.cs": "namespace Shop.Money;\n\npublic partial class Half { public static int A; }\n",
    "src/Shop/Money/Point.cs": "namespace Shop.Money;\n\npublic record Point(int X, int Y = 0) { public static Point Origin = new(0); }\n",
    "src/Shop/Money/Both.cs": "namespace Shop.Money;\n\npublic class Both(int a) { public Both(string b, int c) : this(c) { } }\n",
    "test/Shop.Tests/Tests.csproj": "<Project><PropertyGroup><RootNamespace>Shop.Tests</RootNamespace></PropertyGroup></Project>",
    "test/Shop.Tests/Money/CentsTests.cs": "namespace Shop.Tests.Money;\n",
}


def of(body: str, usings: str = "using Shop.Money;\n", path: str = "src/Shop/Pay/Pay.cs") -> list[str]:
    text = f"{usings}namespace Shop.Pay;\nclass Pay {{ void Go() {{\n{body}}} }}\n"
    return messages({**SHOP, path: text}, path)


def test_missing_namespace_is_reported() -> None:
    usings = "using Shop.Mony;\nusing Shop.Nothing;\nusing Shop.Money;\nusing Shop;\nusing Shop.Tests;\nusing System.Txt;\nusing Library.Mony;\nusing static Shop.Mony.Cents;\nusing C = Shop.Mony.Cents;\n"
    assert of("", usings) == ["1 missing-module Shop.Mony: Shop.Money", "2 missing-module Shop.Nothing"]
    apart = {**SHOP, "src/Shop/Data/NothingContext.cs": "namespace Shop.Nothing;\n"}
    path = "src/Shop/Pay/Pay.cs"
    assert messages({**apart, path: "using Shop.Nothing;\n"}, path) == []


def test_namespace_is_defined_by_declarations_and_not_by_folders() -> None:
    path = "src/Shop/Pay/Pay.cs"
    elsewhere = {**SHOP, path: "using Shop.Mony;\nusing Shop.Nothing;\nnamespace Shop;\nclass Pay { }\n"}
    assert messages(elsewhere, path) == []
    both = "namespace Shop.Money { public class Cents { public const int Rate = 1; } }\nnamespace Shop.Mony { }\n"
    declared = {**SHOP, "src/Shop/Money/Cents.cs": both}
    text = "using Shop.Money;\nusing Shop.Mony;\nnamespace Shop.Pay;\nclass Pay { int a = Cents.Rate; }\n"
    assert messages({**declared, path: text}, path) == []


def test_missing_class_member_is_reported() -> None:
    body = (
        "var a = Color.Red;\nvar b = Color.Blue;\nvar c = Cents.Rate + Cents.Zero;\nvar d = Cents.Rates;\nvar e = Far.Nothing;\nvar f = Half.Nothing;\n"
        "var g = Point.Origin;\nvar h = Point.Orign;\nvar i = nameof(Color.Red);\n"
    )
    assert of(body) == [
        "5 missing-member Color.Blue",
        "7 missing-member Cents.Rates: Rate",
        "11 missing-member Point.Orign: Origin",
    ]


def test_call_with_wrong_arguments_is_reported() -> None:
    body = (
        'Cents.Of(1, 2, 3);\nCents.Of();\nvar a = new Cents();\nvar b = new Cents(1, currency: "x");\nvar c = new Cents(1, size: 2);\nvar d = new Cents(1, "x", 3);\n'
        "var e = new Point();\nvar f = new Point(1);\nvar g = new Both(1);\nvar h = new Half(1, 2);\nvar i = new Amount { };\nvar j = new Far(1);\n"
    )
    assert of(body) == [
        "5 arguments Cents.Of: is missing 'a'",
        "6 arguments Cents: is missing 'amount'",
        "8 arguments Cents: has no parameter 'size'",
        "9 arguments Cents: takes 1 to 2 arguments, not 3",
        "10 arguments Point: is missing 'X'",
    ]


def test_ambiguous_name_is_not_reported() -> None:
    body = "var Color = 3;\nvar a = Color.Nothing;\nvar b = Cents.Of(1).Extended();\nvar c = new Cents(1);\nc.Extended();\n"
    assert of(body) == []
    named = "using Shop.Money;\nnamespace Shop.Pay;\nclass Pay { Color? Color { get; set; } int Go() => Color.Value + Color.Extended(); }\n"
    assert messages({**SHOP, "src/Shop/Pay/Pay.cs": named}, "src/Shop/Pay/Pay.cs") == []


def test_member_under_a_condition_is_a_part_of_its_class() -> None:
    """A literal may set a property that only some builds have."""
    box = "namespace Shop.Money;\n\npublic class Box\n{\n    public int Size { get; set; }\n#if NET9_0_OR_GREATER\n    public int Depth { get; set; }\n#endif\n}\n"
    text = "using Shop.Money;\nnamespace Shop.Pay;\nclass Pay { void Go() {\nvar a = new Box { Depth = 1 };\nvar b = new Box { Dept = 1 };\n} }\n"
    path = "src/Shop/Pay/Pay.cs"
    assert messages({**SHOP, "src/Shop/Money/Box.cs": box, path: text}, path) == ["5 missing-member Box.Dept"]


def test_constructor_that_a_syntax_error_separates_from_its_class_is_not_the_class() -> None:
    """A call of the class may match another constructor, which the grammar lost."""
    language = language_of("P.cs")
    text = b"struct P {\n  public P(bool value) => Value = value;\n#if NODES\n  public P(object value) => Value = value;\n#endif\n  void F( {{{\n}\n"
    facts = reader.facts(language, text) if language is not None else None
    assert facts is not None
    assert [(one.name, one.is_named("P")) for one in facts.definitions] == [("P", False)]
