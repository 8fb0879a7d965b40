"""References that the base already shows to be wrong, or that belong to a separate build, prove nothing."""

import time

import pytest
from contract_findings import look, open_uses
from fakes import Repository

import deeprepo

PROJECT = '<Project Sdk="Microsoft.NET.Sdk"><ItemGroup>{}</ItemGroup></Project>'
REFERENCE = '<ProjectReference Include="..\\{0}\\{0}.csproj" />'


def types(space: str) -> str:
    """Return a C# file whose type names also exist in another project."""
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
def test_unreferenced_project_with_a_type_of_the_same_name_is_not_affected(
    repository: Repository, old: str, new: str
) -> None:
    """If two projects have types of the same name, only the changed project's users are reported."""
    pull = repository.change(SOLUTION, {"A/Model/Types.cs": types("Shop.A.Model").replace(old, new)})
    assert [finding.path for finding in look(pull)] == ["A/User.cs"]


def test_kotlin_type_alias_provides_the_members_of_a_moved_class(repository: Repository) -> None:
    """In Kotlin, a type alias to the moved class still provides its members."""
    owner, user = "package a\n\nclass Cart(val size: Int)\n", "package a\n\nfun show(cart: Cart) = cart.size\n"
    after = {
        "a/Cart.kt": "package a\n\ntypealias Cart = b.Cart\n",
        "b/Cart.kt": owner.replace("package a", "package b"),
    }
    assert look(repository.change({"a/Cart.kt": owner, "a/Show.kt": user}, after)) == []


def test_type_in_the_same_namespace_takes_precedence_over_an_imported_one(repository: Repository) -> None:
    own = "namespace Shop.Web;\npublic record Card\n{ public int Id; }\n"
    files = {
        "Core/Core.csproj": PROJECT.format(""),
        "Web/Web.csproj": PROJECT.format(REFERENCE.format("Core") + '<Using Include="Shop.Core" />'),
        "Core/Card.cs": "namespace Shop.Core;\npublic class Card { public Card() { } public int Id; }\n",
        "Web/Models.cs": own,
        "Web/Show.cs": "namespace Shop.Web;\nclass Show { Card Made() => new Card { Id = 1 }; }\n",
    }
    new = "namespace Shop.Core;\npublic class Card { public Card(int id) { } public int Number; }\n"
    pull = repository.change(files, {"Core/Card.cs": new})
    assert (look(pull), open_uses(pull)) == ([], ())


def test_class_in_the_same_package_takes_precedence_over_a_wildcard_import(repository: Repository) -> None:
    """A class in the user's own package takes precedence over a wildcard import of the changed class."""
    order = "package shop.{};\n\npublic class Order {{\n    public int total() {{ return 1; }}\n}}\n"
    show = "package shop.{};\n\nimport shop.a.*;\n\nclass Show {{ int run(Order order) {{ return order.total(); }} }}\n"
    files = {
        **{f"src/shop/{one}/Order.java": order.format(one) for one in ("a", "b")},
        **{f"src/shop/{one}/Show.java": show.format(one) for one in ("b", "web")},
    }
    pull = repository.change(files, {"src/shop/a/Order.java": order.format("a").replace("total()", "total(int tax)")})
    assert [finding.path for finding in look(pull)] == ["src/shop/web/Show.java"]


CONTRACTS = "namespace Shop.Contracts { public class Order { public string Title; } }\n"
SHOWN = "using Shop.Contracts;\nnamespace Shop { class Show { int Run(Order order) => order.Title.Length; } }\n"
CLASS = "<?php\nnamespace App\\Models;\nclass Order { public function title(): string { return ''; } }\n"
SHOW = "<?php\nnamespace App;\nuse App\\Models\\Order;\nfunction show(Order $order) { return $order->title(); }\n"
COMPOSER = '{"autoload": {"psr-4": {"App\\\\": "app/"}}}'
APART = {
    "C#": {
        **{f"{one}/{one}.csproj": PROJECT.format("") for one in ("Client", "Server")},
        "Client/Contracts.cs": CONTRACTS,
        "Server/Models.cs": CONTRACTS,
        **{f"{one}/Show.cs": SHOWN for one in ("Client", "Server")},
    },
    "PHP": {
        **{f"{one}/composer.json": COMPOSER for one in ("a", "b")},
        **{f"{one}/app/Models/Order.php": CLASS for one in ("a", "b")},
        **{f"{one}/app/Show.php": SHOW for one in ("a", "b")},
    },
}


@pytest.mark.parametrize("language", APART)
def test_class_defined_in_two_projects_is_reported_only_in_the_changed_one(
    repository: Repository, language: str
) -> None:
    """If unconnected projects define the same class, only the changed project's user is reported."""
    files = APART[language]
    path, text = next(row for row in files.items() if row[1] in (CONTRACTS, CLASS))
    new = text.replace("Title", "Heading").replace("title", "heading")
    assert {finding.path for finding in look(repository.change(files, {path: new}))} == {
        next(one for one, text in files.items() if text in (SHOWN, SHOW))
    }


@pytest.mark.parametrize("is_given", [False])
def test_name_that_another_imported_namespace_provides_is_not_missing(
    repository: Repository, *, is_given: bool
) -> None:
    """If the file also imports a package's namespace with that interface, deleting its own breaks nothing."""
    storage = "namespace Shop.Storage.Internal;\n\npublic interface IStoreFactory\n{\n    int Get();\n}\n"
    use = "using Shop.Storage.Internal;\n\nnamespace Shop.Users.Internal;\n\nclass Admin\n{\n    IStoreFactory factory;\n}\n"
    before = {
        "storage/Storage.csproj": PROJECT.format(""),
        "storage/IStoreFactory.cs": storage if is_given else storage.replace("IStoreFactory", "IStore"),
        "users/Users.csproj": PROJECT.format('<PackageReference Include="Shop.Storage" />'),
        "host/Host.csproj": PROJECT.format(REFERENCE.format("users")),
        "users/Internal/IStoreFactory.cs": storage.replace("Shop.Storage", "Shop.Users").replace("public", "internal"),
        "users/Internal/Admin.cs": use,
    }
    repository.commit({"README.md": "shop\n", **before}, "before")
    repository.commit({"users/Internal/IStoreFactory.cs": None}, "after")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    found = [(one.path, one.start) for one in review.findings]
    assert (found, review.open) == (([], ()) if is_given else ([("users/Internal/Admin.cs", 7)], ()))


def test_namespace_segment_is_not_a_class_reference(repository: Repository) -> None:
    """`using Microsoft.Extensions.Hosting` does not refer to a class named `Extensions`."""
    files = {
        "Bff/Extensions.cs": "internal static class Extensions\n{\n    public static int Twice(this int n) => n;\n}\n",
        "Base/Extensions.cs": "using Microsoft.Extensions.Hosting;\n\nnamespace Shop.Base;\n\npublic static partial class Extensions { }\n",
    }
    pull = repository.change(files, {"Bff/Extensions.cs": None})
    assert (look(pull), open_uses(pull)) == ([], ())


GO = {"go.mod": "module example.com/shop\n", "pb/doc.go": "package pb\n\nfunc Written() {}\n"}
USER_OF_GO = 'package main\n\nimport "example.com/shop/pb"\n\nfunc {}() {{ _ = pb.{}{{}} }}\n'
PACKAGE = {
    "package.json": '{"workspaces": ["packages/*", "web"]}',
    "packages/api/package.json": '{"name": "@acme/api", "main": "./dist/index.js"}',
    "packages/api/src/index.ts": "export const model = 1;\n",
    "packages/api/entry/index.ts": 'export * from "../src";\nexport const client = 2;\n',
    "web/package.json": '{"name": "web"}',
}
FIXTURE = {
    "pyproject.toml": "",
    "shop/__init__.py": "",
    "shop/state.py": "def join():\n    return 1\n",
    "tests/conftest.py": "from shop import state\n\nstate.first_join = state.join\n",
}
USER_OF_FIXTURE = "from shop import state\n\n\ndef test_it():\n    state.{}()\n"
BUILDER = {
    "Cargo.toml": "[package]\nname = 'x'\nedition = '2021'\n",
    "src/lib.rs": "mod types;\nmod user;\n",
    "src/types/mod.rs": "pub use chat::*;\nmod chat;\n",
    "src/types/chat.rs": '#[derive(Builder)]\n#[builder(name = "ToolArgs")]\npub struct Tool {\n    pub size: u8,\n}\n',
    "src/user.rs": "use crate::types::Tool;\n",
}
BUILT = {
    "the base has it": ({**GO, "cmd/a.go": USER_OF_GO.format("a", "Order")}, "cmd/b.go", USER_OF_GO.format("b", "Order")),
    "the base has another": ({**GO, "cmd/a.go": USER_OF_GO.format("a", "Cart")}, "cmd/b.go", USER_OF_GO.format("b", "Order")),
    "files are generated": (
        {**GO, "pb/make.go": "package pb\n\n//go:generate protoc order.proto\n"},
        "cmd/b.go",
        USER_OF_GO.format("b", "Order"),
    ),
    "another entry": (PACKAGE, "web/page.ts", 'import { client } from "@acme/api";\nclient;\n'),
    "an extension module": (
        {"pyproject.toml": "", "acme/__init__.py": "", "CMakeLists.txt": "pybind11_add_module(_core main.cpp)\n"},
        "acme/use.py",
        "from acme._core import add\nfrom . import _core\n",
    ),
    "a class that a plug-in makes": (
        {
            "app/build.gradle.kts": 'plugins { id("com.android.library") }\n',
            "app/src/main/java/com/acme/home/HomeFragment.kt": "package com.acme.home\n\nclass HomeFragment\n",
        },
        "app/src/main/java/com/acme/home/detail/Detail.kt",
        "package com.acme.home.detail\n\nimport com.acme.databinding.DetailBinding\nimport com.acme.home.HomeFragmentDirections\n",
    ),
    "a fixture gives it to the module": (FIXTURE, "tests/test_one.py", USER_OF_FIXTURE.format("first_join")),
    "an attribute says how it is called": (BUILDER, "src/user.rs", "use crate::types::{Tool, ToolArgs};\n"),
    "a class that stands for a file": (
        {"src/main/kotlin/com/acme/a/Text.kt": '@file:JvmName("Texts")\npackage com.acme.a\n\nfun shown(size: Int) = size\n'},
        "src/main/java/com/acme/b/Show.java",
        "package com.acme.b;\nimport com.acme.a.Texts;\nclass Show { int a = Texts.shown(1); }\n",
    ),
}  # fmt: skip
MISTAKES = [
    (GO, "cmd/b.go", USER_OF_GO.format("b", "Writen")),
    (PACKAGE, "web/page.ts", 'import { modell } from "@acme/api";\nmodell;\n'),
    ({"acme/__init__.py": "", "acme/core.py": "", "CMakeLists.txt": ""}, "acme/use.py", "from acme._core import add\n"),
    (FIXTURE, "tests/test_one.py", USER_OF_FIXTURE.format("last_join")),
    (BUILDER, "src/user.rs", "use crate::types::{Tool, Tools};\n"),
]  # fmt: skip
Files = dict[str, str]


def review(repository: Repository, base: Files, path: str, text: str) -> deeprepo.Review:
    repository.commit(base, "before")
    repository.commit({path: text}, "after")
    return deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")


def test_csharp_file_compiled_by_another_project_counts_as_used_there(repository: Repository) -> None:
    """In C#, a project can compile another project's file without referencing the project."""
    link = '<Compile Include="..\\Core\\Card.cs" />'
    files = {
        "Core/Core.csproj": PROJECT.format(""),
        "Other/Other.csproj": PROJECT.format(REFERENCE.format("Core")),
        "Web/Web.csproj": PROJECT.format(link),
        "Core/Card.cs": "namespace Shop;\npublic class Card { public int Id; }\n",
        "Web/Show.cs": "namespace Shop;\nclass Show { int Id(Card card) => card.Id; }\n",
    }
    change = {"Core/Card.cs": "namespace Shop;\npublic class Card { public int Number; }\n"}
    assert [finding.path for finding in look(repository.change(files, change))] == ["Web/Show.cs"]


@pytest.mark.parametrize("importer", ["a.js", "a.ts"])
def test_js_and_ts_importers_of_one_path_resolve_to_different_files(repository: Repository, importer: str) -> None:
    """For `./lib`, Node loads lib.js and the TypeScript compiler loads lib.ts."""
    load = "const { total } = require('./lib')" if importer == "a.js" else "import { total } from './lib'"
    files = {f"lib{end}": "export function total(a) { return a }\n" for end in (".js", ".ts")}
    files[importer] = f"{load}\n\nconsole.log(total(1))\n"
    found = {
        end: [finding.path for finding in look(repository.change(files, {f"lib{end}": "export const gone = 1\n"}))]
        for end in (".js", ".ts")
    }
    assert found == {end: [importer] if importer.endswith(end) else [] for end in found}


FACADE = '@file:JvmName("Texts")\n@file:JvmMultifileClass\npackage com.acme.a\n\n'
OFFERED = {
    "src/main/kotlin/com/acme/a/Text.kt": f'{FACADE}val limit = 3\n\n@JvmName("shown")\nfun show() = 1\n',
    "src/main/kotlin/com/acme/a/More.kt": f"{FACADE}fun more() = 1\n",
    "src/main/kotlin/com/acme/a/Shop.kt": "package com.acme.a\n\nobject Shop {\n    @JvmStatic\n    val size = 3\n}\n",
    "src/main/groovy/com/acme/a/Cart.groovy": "package com.acme.a\n\nclass Cart { }\n\nclass Item { static int made() { 1 } }\n",
    "src/main/scala/com/acme/a/Rates.scala": "package com.acme.a\n\nclass Rates\n\nobject Taxes { def due = 1 }\n",
    "src/main/java/com/acme/a/Plain.java": "package com.acme.a;\n\npublic class Plain { }\n",
}


@pytest.mark.parametrize(
    ("name", "asked", "is_there"),
    [
        *(("Texts", f"Texts.{member}()", True) for member in ("getLimit", "shown", "more")),
        ("Shop", "Shop.getSize()", True),
        ("Item", "Item.made()", True),
        ("Taxes", "Taxes.due()", True),
    ],
)
def test_java_resolves_names_from_other_jvm_languages(
    repository: Repository, name: str, asked: str, is_there: bool
) -> None:
    """Java resolves Kotlin accessors and @JvmName names, and classes in other JVM languages."""
    text = f"package com.acme.b;\n\nimport com.acme.a.{name};\n\nclass Show {{ int a = {asked}; }}\n"
    found = review(repository, OFFERED, "src/main/java/com/acme/b/Show.java", text)
    assert len(found.findings) == (not is_there)


def test_rust_2015_path_does_not_stop_the_review(repository: Repository) -> None:
    """A review completes despite `use ::total`, a 2015-edition path with an empty first part."""
    base = {
        "Cargo.toml": '[package]\nname = "acme"\n',
        "src/lib.rs": "pub mod show;\npub fn total() -> u32 { 1 }\n",
        "src/show.rs": "use ::total;\npub fn show() -> u32 { total() }\n",
    }
    repository.commit(base, "before")
    repository.commit({"src/lib.rs": base["src/lib.rs"].replace("total()", "total(tax: u32)")}, "after")
    found = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    assert found.complete


def test_repeated_rebinding_is_checked_quickly(repository: Repository) -> None:
    """Thirty match arms that rebind one name don't take exponential time."""
    arms = "".join(f"            Self::V{number}(cmd) => cmd.total(),\n" for number in range(30))
    cart = "pub struct Cart;\n\nimpl Cart {\n    pub fn total(&self) -> u8 {\n        1\n    }\n}\n"
    files = {
        "Cargo.toml": "[package]\nname = 'x'\nedition = '2021'\n",
        "src/lib.rs": "pub mod cart;\npub mod user;\n",
        "src/cart.rs": cart,
        "src/user.rs": f"use crate::cart::Cart;\n\nimpl Command {{\n    pub fn go(self, cart: Cart) -> u8 {{\n        match self {{\n{arms}        }}\n    }}\n}}\n",
    }
    start = time.process_time()
    pull = repository.change(files, {"src/cart.rs": cart.replace("total", "sum")})
    assert look(pull) or open_uses(pull)
    assert time.process_time() - start < 20
