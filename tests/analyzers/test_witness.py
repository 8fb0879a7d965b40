"""The base is the witness: what is built apart, or what this reading finds wrong in unchanged lines too, proves nothing."""

import pytest
from contract_findings import look, open_uses
from fakes import Repository

PROJECT = '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup>{}</ItemGroup></Project>'
REFERENCE = '<ProjectReference Include="..\\{0}\\{0}.csproj" />'


def types(space: str) -> str:
    """A file of a project of .NET whose types another project has by the same names."""
    return (
        f"namespace {space};\n\npublic class Order\n{{\n    public Order(int id) {{ }}\n    public string Title;\n"
        "    public int Total(int tax) => tax;\n    public static int Parse(string s) => 1;\n}\n"
        "public enum Status { Open, Closed }\n"
        "public static class Extensions\n{\n    public static void AddParts(this IBuilder builder) { }\n}\n"
    )


def user(using: str, space: str) -> str:
    return (
        f"{using}namespace {space};\n\nclass User\n{{\n    int Run(Order order, IBuilder builder)\n    {{\n        builder.AddParts();\n"
        "        var made = new Order(1) { Title = null };\n        var status = Status.Closed;\n"
        "        return order.Total(1) + Order.Parse(null) + order.Title.Length;\n    }\n}\n"
    )


SOLUTION = {
    "A/A.csproj": PROJECT.format(REFERENCE.format("Base")),
    "B/B.csproj": PROJECT.format(REFERENCE.format("Base")),
    "Base/Base.csproj": PROJECT.format('<Using Include="Shop.Base" />'),
    "A/GlobalUsings.cs": "global using Shop.A.Model;\n",
    "A/Model/Types.cs": types("Shop.A.Model"),
    "B/Model/Types.cs": types("Shop.B.Model"),
    "A/User.cs": user("", "Shop.A"),
    "B/User.cs": user("using Shop.B.Model;\n", "Shop.B"),
}
CHANGES = [
    ("Order(int id)", "Order(int id, int shop)"),
    ("string Title", "string Heading"),
    ("Total(int tax)", "Total(int tax, int ship)"),
    ("Parse(", "Read("),
    ("Closed", "Done"),
]


@pytest.mark.parametrize(("old", "new"), CHANGES, ids=[new for _, new in CHANGES])
def test_a_project_is_built_without_those_that_it_does_not_refer_to(repository: Repository, old: str, new: str) -> None:
    """Of two types of one name each project sees its own: the users of the other one are none of the change's."""
    pull = repository.change(SOLUTION, {"A/Model/Types.cs": types("Shop.A.Model").replace(old, new)})
    assert [finding.path for finding in look(pull)] == ["A/User.cs"]


def test_a_part_of_a_namespace_is_no_class(repository: Repository) -> None:
    """`using Microsoft.Extensions.Hosting` names no class `Extensions`, although the file has a part of one."""
    files = {
        "Bff/Extensions.cs": "internal static class Extensions\n{\n    public static int Twice(this int n) => n;\n}\n",
        "Base/Extensions.cs": "using Microsoft.Extensions.Hosting;\n\nnamespace Shop.Base;\n\npublic static partial class Extensions { }\n",
    }
    pull = repository.change(files, {"Bff/Extensions.cs": None})
    assert (look(pull), open_uses(pull)) == ([], ())
