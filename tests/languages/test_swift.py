"""Swift: what a file defines, which modules see it, and which calls no longer match."""

import pytest
from fakes import Repository
from told import Tree, rows

from deeprepo.impact import resolving
from deeprepo.impact.language import leading

SWIFT = leading("swift")
HOME, USER = "Sources/Shop/Cart.swift", "Sources/App/Main.swift"
MANIFEST = b"""
let package = Package(targets: [
    // .target(name: "Old", path: "Code/Orders"),
    .target(name: "Orders", path: "Code/Orders"),
    .testTarget(name: "ShopTests"),
    .target(name: "Other", dependencies: [.package(name: "Kit", path: "Packages")]),
])
"""


def broken(repository: Repository, before: str, after: str, use: str, files: Tree | None = None) -> list[str]:
    """Return the rule and the line of each finding when a file changes that another module uses."""
    tree: Tree = {HOME: f"{before}\n", USER: f"import Shop\n\nfunc go() {{\n  {use}\n}}\n", **(files or {})}
    return [f"{rule}:{line}" for _, line, rule in rows(repository.change(tree, {HOME: f"{after}\n"}))]


@pytest.mark.parametrize(
    ("before", "after", "use", "rule"),
    [
        ("public func total(_ a: Int) {}", "public func sum(_ b: String) {}", "total(1)", "removed-symbol:4"),
        ("public func total(a: Int) {}", "public func total(a: Int, b: Int) {}", "total(a: 1)", "required-parameter:4"),
        ("public func total(a: Int) {}", "public func total(of a: Int) {}", "total(a: 1)", "keyword:4"),
        ("public func total(_ a: Int) {}", "public func total(a: Int) {}", "let n = 2 * total(1)", "arity:4"),
        ("public func total(a: Int, b: Int = 1) {}", "public func total(a: Int) {}", "total(a: 1, b: 2)", "keyword:4"),
        ("public class Cart { public init(a: Int) {} }", "public class Cart { public init(a: Int, b: Int) {} }", "_ = Cart(a: 1)", "required-parameter:4"),
        ("public enum Kind { case redOne, blueOne }", "public enum Kind { case redOne }", "let k = Kind.blueOne", "removed-symbol:4"),
        ("public struct Cart { public func total(_ a: Int) {} }", "public struct Cart { public func total() {} }", "let c: Cart? = find()\n  c?.total(1)", "arity:5"),
        ("public struct Cart {}\nextension Cart { public func totalRows() {} }", "public struct Cart {}", "let c = Cart()\n  c.totalRows()", "removed-symbol:5"),
        ("public struct Cart {}", "public struct Bag { let rows: Int }", "let c = [Cart]()", "removed-symbol:4"),
        ("public struct Cart { public func total(_ a: Int) {} }", "public struct Cart { public func total() {} }", "let c: Cart? = find()\n  c!.total(1)", "arity:5"),
        ("public func reloadCartRows(_ a: Int) {}", "public func reloadCartRows() {}", "class View: Base { func show() { reloadCartRows(1) } }", "arity:4"),
        ("public let rowLimit = 1", "public let rows = 1", "print(rowLimit)", "removed-symbol:4"),
        ("public protocol Priced { func pay() }", "public protocol Costly { func pay() }", "let all: [any Priced] = []", "removed-symbol:4"),
    ],
)  # fmt: skip
def test_broken_caller_is_reported(repository: Repository, before: str, after: str, use: str, rule: str) -> None:
    """The caller compiled before the change and does not compile after it."""
    assert broken(repository, before, after, use) == [rule]


@pytest.mark.parametrize(
    ("before", "after", "use"),
    [
        ("public func total(a: Int) {}", "public func total(a: Int, b: Int = 1) {}", "total(a: 1)"),
        ("public func total(a: Int) {}", "public func total(a: Int) {}\npublic func total(b: Int) {}", "total(a: 1)"),
        ("public func total(a: Int) {}", "public func total(_ done: () -> Void) {}", "total { 1 }"),
        ("func total(a: Int) {}", "func total() {}", "total(a: 1)"),
        ("public func total(a: Int) {}", "public func total(a: Int, b: Int = 1) {}", "let f = total(a:)"),
        ("public func total(_ a: Int) {}", "public func total() {}", "class View: Base { func show() { total(1) } }"),
        ("public func total(a: Int, b: Int = 1, c: Int) {}", "public func total(a: Int, b: Int = 2, c: Int) {}", "total(a: 1, c: 2)"),
        ("public struct Json { public static func encodeAll(a: Int) {} }", "public struct Json {}", "JSONEncoder.encodeAll(a: 1)"),
        ("public struct Cart { public var rowCount = 1 }", "@Observable\npublic struct Cart {}", "_ = Cart().rowCount"),
        ("public func total(a: Int) {}", "public func total() {}", 'print("total(a: 1)") // total(a: 1)'),
        ("public struct Cart { public func total(a: Int) {} }", "public struct Cart { public func total() {} }", "find().total(a: 1)"),
        ("public class Cart: Base { public func total(a: Int) {} }", "public class Cart: Base { public func total() {} }", "Cart().total(a: 1)"),
        ("@dynamicMemberLookup\npublic struct Cart { public var size = 1 }", "@dynamicMemberLookup\npublic struct Cart {}", "_ = Cart().size"),
    ],
)  # fmt: skip
def test_valid_or_unrelated_call_is_not_reported(repository: Repository, before: str, after: str, use: str) -> None:
    """Calls that still match, can't see the name or have an unknown receiver are not reported."""
    assert broken(repository, before, after, use) == []


def test_overload_in_another_file_of_the_module_prevents_a_proof(repository: Repository) -> None:
    """Nothing is proven if another file's overload or extension member may accept the call."""
    before = "public func total(a: Int) {}\npublic struct Cart { public func pay(a: Int) {} }"
    after = "public struct Cart { public func pay() {} }"
    more: Tree = {
        "Sources/Shop/More.swift": "public func total(a: String) {}\nextension Cart { public func pay(a: String) {} }\n"
    }
    use = "total(a: 1)\n  Cart().pay(a: 1)"
    assert broken(repository, before, after, use, more) == []


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("Sources/Shop/Rows/Cart.swift", ("", "Shop")),
        ("Tests/ShopTests/CartTests.swift", ("", "ShopTests")),
        ("Code/Orders/Old/Ship.swift", ("", "Orders")),
        ("Packages/Kit/Sources/Kit/Kit.swift", ("Packages/Kit", "Kit")),
        ("App/Views/Screen.swift", ("", "")),
        ("Sources/Shop/Shop.docc/One.swift", ("Sources/Shop/Shop.docc/One.swift", "")),
    ],
)
def test_module_name_comes_from_the_target_folder(path: str, module: tuple[str, str]) -> None:
    """A file's module comes from the manifest, else from the folder below `Sources` or `Tests`."""
    project = resolving.project(SWIFT, [path], {"Package.swift": MANIFEST})
    assert project.modules.module(path) == module  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("head", "names"),
    [
        ("import Shop", {"Cart"}),
        ("@testable import Shop", {"Cart", "tax"}),
        ("import struct Shop.Cart", {"Cart"}),
        ("import Kit", {"Cart"}),
        ("// import Shop", set()),
        ("import Charts", set()),
    ],
)
def test_import_provides_public_names(head: str, names: set[str]) -> None:
    """An import provides public names, also via `@_exported`; `@testable` adds internal names."""
    paths = (HOME, USER, "Sources/Kit/Exports.swift")
    project = resolving.project(SWIFT, paths, {"Sources/Kit/Exports.swift": b"@_exported import Shop\n"})
    source = b"public struct Cart {}\nfunc tax() {}\nprivate func hidden() {}\n"
    project.register(HOME, source)  # type: ignore[attr-defined]
    imports = project.links(USER, f"{head}\n\nlet a = Cart()\ntax()\nhidden()\n".encode())
    assert {name for item in imports for name in item.names} == names
