"""C# and JVM types that move to another namespace, used by files that don't import them by name."""

import pytest
from contract_findings import look
from fakes import Repository

BOM = "\ufeff"
TYPE = "public class Options\n{\n    public int Size() => 1;\n    public int Width() => 2;\n}\n"
USER = "class User\n{\n    Options Get() => new Options();\n}\n"


def namespaced(space: str, body: str, *usings: str) -> str:
    """Return the text of a C# file with this namespace and these `using` directives."""
    return "".join(f"using {one};\n" for one in usings) + f"namespace {space};\n\n{body}"


def moved(space: str = "New.Place", body: str = TYPE) -> dict[str, str | None]:
    """Return the change that moves the type to another file and namespace."""
    return {"Old/Options.cs": None, "New/Options.cs": namespaced(space, body)}


BEFORE = namespaced("Old.Place", TYPE)


@pytest.mark.parametrize(
    ("user", "after"),
    [
        (namespaced("App", USER, "Old.Place", "New.Place"), moved()),
        (namespaced("New.Place", USER, "Old.Place"), moved()),
        (namespaced("Old.Place", USER, "New.Place"), moved()),
        (f"{BOM}using New.Place;\nnamespace Old.Place;\n\n{USER}", moved()),
        (f"namespace Old.Place\n{{\n    using New.Place;\n\n    {USER}}}\n", moved()),
        (namespaced("App", USER, "Old.Place"), moved("Old.Place", f"public sealed {TYPE.removeprefix('public ')}")),
        (namespaced("Old.Place", USER, "New.Place"), moved(body="public ref partial struct Options { }\n")),
        (namespaced("Old.Place", f"class Options {{ }}\n{USER}"), moved()),
        ("namespace Options.Sql;\n\nclass Other\n{\n}\n", moved()),
    ],
    ids=[
        "both are used",  "its own namespace",  "used anew",
        "after a byte order mark",  "used inside the namespace", "no other namespace", "a form that no grammar knows",
        "another type of the file",  "a namespace of that name",
    ],
)  # fmt: skip
def test_type_visible_in_its_new_namespace_is_not_reported(
    repository: Repository, user: str, after: dict[str, str | None]
) -> None:
    """A file that can see the type's new namespace is not broken, whatever form the import has."""
    assert look(repository.change({"Old/Options.cs": BEFORE, "App/User.cs": user}, after)) == []


@pytest.mark.parametrize(
    ("member", "after"),
    [
        (
            "static class Tools { public static Log Open(this Log log) => log; }",
            "class Log { public Log Open() => this; }",
        ),
        ("static class Tools { public static Log Open(this Log log) => log; }", "class Log { }"),
    ],
    ids=["it is a member of the type now", "its receiver may have it from elsewhere"],
)
def test_removed_extension_method_does_not_prove_a_break(repository: Repository, member: str, after: str) -> None:
    """A removed extension method proves nothing if the receiver may have a method of that name."""
    user = "namespace A;\n\nclass User\n{\n    Log Go(Log log) => log.Open();\n}\n"
    files = {"Tools.cs": f"namespace A;\n\n{member}\n", "User.cs": user}
    found = look(repository.change(files, {"Tools.cs": None, "Log.cs": f"namespace A;\n\n{after}\n"}))
    assert [finding.path for finding in found if finding.proven] == []


def test_library_type_of_the_same_name_is_not_affected(repository: Repository) -> None:
    """A library's `Path.GetTempPath()` is not affected, but `Helpers.GetTempPath()` breaks."""
    helpers = (
        "namespace A;\n\npublic static class Helpers\n{\n    public static string GetTempPath(string end) => end;\n}\n"
    )
    user = 'namespace A;\n\nclass User\n{\n    string Go() => Path.GetTempPath();\n    string Own() => Helpers.GetTempPath("x");\n}\n'
    (finding,) = look(
        repository.change(
            {"Helpers.cs": helpers, "User.cs": user}, {"Helpers.cs": helpers.replace("GetTempPath", "GetTempFilePath")}
        )
    )
    assert (finding.start, len(finding.evidence)) == (6, 2)


JAVA = "package {};\n\npublic class Options {{\n    public int size() {{ return 1; }}\n}}\n"
JAVA_USER = "package old;\n\nimport fresh.*;\n\nclass User {\n    Options get() { return new Options(); }\n}\n"


def test_java_class_moved_to_a_wildcard_imported_package_is_found(repository: Repository) -> None:
    """A Java class that moves to a package imported with `.*` is still found."""
    files = {"src/old/Options.java": JAVA.format("old"), "src/old/User.java": JAVA_USER}
    assert look(repository.change(files, {"src/old/Options.java": None, "src/fresh/Options.java": JAVA.format("fresh")})) == []  # fmt: skip


@pytest.mark.parametrize(("part", "proven"), [("Other", True), ("IStore", False)])
def test_part_of_another_class_casts_no_doubt_on_a_method(repository: Repository, part: str, proven: bool) -> None:
    """A new signature is uncertain only if a neighboring file may contain another part of the same class."""
    store = "namespace A;\n\npublic interface IStore\n{\n    void Drop(string id);\n}\n"
    beside = f"namespace A;\n\npublic class Memory : IStore\n{{\n    public void Drop(string id, int count) {{ }}\n}}\n\npublic partial interface {part}\n{{\n}}\n"
    user = 'namespace A;\n\nclass User(IStore store)\n{\n    void Go() { store.Drop("x"); }\n}\n'
    found = look(
        repository.change(
            {"A/IStore.cs": store, "A/Memory.cs": beside, "B/User.cs": user},
            {"A/IStore.cs": store.replace("string id", "string id, int count")},
        )
    )
    assert any(finding.path == "B/User.cs" and finding.proven for finding in found) is proven
