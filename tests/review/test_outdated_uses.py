"""Uses that the new declaration may break, although parsers and the comparison of parameters accept them."""

import json

import pytest
from fakes import Repository

import deeprepo

PLACES, LATE, OTHER = "changed places", "became asynchronous", "returns something else"
SYNC, KIND, THROWS = "no longer asynchronous", "a value of another type", "may throw now"
TYPES = "still has the former ones"


def opened(repository: Repository, before: dict[str, str], after: dict[str, str]) -> list[tuple[str, str]]:
    """Return the path and the reason of each use that a static review of the change leaves open."""
    repository.commit({"README.md": "shop\n", **before}, "before")
    repository.commit(dict(after), "after")
    reviewed = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    return [(row["path"], row["reason"]) for row in json.loads(reviewed.to_json())["coverage"]["open"]]


PY, TS = (
    "def total(price, rate):\n    return price * rate\n",
    "export function total(price: number, rate: number) {\n  return price * rate\n}\n",
)
RUST = "pub fn total(price: u32, rate: u32) -> u32 {\n    price\n}\n"
CSHARP = (
    "namespace Shop;\n\npublic static class Prices\n{\n    public static int Total(int price, int rate) => price;\n}\n"
)
GO = "package a\n\nfunc Total(price int) int {\n\tpanic(1)\n}\n"
JAVA = "package shop;\n\npublic class A {\n    public static String titleOf(String id) { return id; }\n}\n"
# what -> (file, its text, the former and the new part of it, the file with the call, its text, the reason)
OUTDATED = {
    "swapped in Python": ("a.py", PY, "price, rate)", "rate, price)", "b.py", "from a import total\n\nSUM = total(3, 4)\n", PLACES),
    "swapped in TypeScript": ("a.ts", TS, "price: number, rate: number", "rate: number, price: number", "b.ts", 'import { total } from "./a"\n\nexport const sum = total(3, 4)\n', PLACES),
    "swapped in C#": ("A.cs", CSHARP, "int price, int rate", "int rate, int price", "B.cs", "namespace Shop;\n\npublic class Cart\n{\n    public int Sum() => Prices.Total(3, 4);\n}\n", PLACES),
    "async in Python": ("a.py", PY, "def total", "async def total", "b.py", "from a import total\n\nSUM = total(3, 4)\n", LATE),
    "async without a use of the result in Python": ("a.py", PY, "def total", "async def total", "b.py", "from a import total\n\n\ndef go():\n    total(3, 4)\n", LATE),
    "no longer async in Python": ("a.py", PY.replace("def", "async def"), "async def total", "def total", "b.py", "from a import total\n\n\nasync def go():\n    return await total(3, 4)\n", SYNC),
    "another parameter in Go": ("a/a.go", GO, "price int", "price *Price", "b/b.go", 'package b\n\nimport "shop/a"\n\nfunc Sum() {\n\ta.Total(3)\n}\n', KIND),
    "another parameter in Rust": ("src/a.rs", RUST, "price: u32", "price: &Price", "src/b.rs", "use crate::a::total;\n\npub fn sum() {\n    total(3, 4);\n}\n", KIND),
    "another parameter in Java": ("src/shop/A.java", JAVA, "String id", "Order order", "src/shop/B.java", 'package shop;\n\npublic class B {\n    void go() { A.titleOf("x"); }\n}\n', KIND),
    "another parameter in C#": ("A.cs", CSHARP, "int price", "Price amount", "B.cs", "namespace Shop;\n\npublic class Cart\n{\n    public int Sum() => Prices.Total(3, 4);\n}\n", KIND),
    "another parameter in Kotlin": ("src/A.kt", "package shop\n\nfun titleOf(order: Order): String = order.name\n", "order: Order", "id: Long", "src/B.kt", "package shop\n\nfun go(order: Order) = titleOf(order)\n", KIND),
    "another parameter in Swift": ("A.swift", "func title(_ order: Order) -> String { order.name }\n", "_ order: Order", "_ id: Int", "B.swift", "func go(order: Order) -> String { title(order) }\n", KIND),
    "another parameter in C": ("a.h", "int total(struct order *order);\n", "struct order *order", "int id", "b.c", '#include "a.h"\nint go(struct order *order) { return total(order); }\n', KIND),
    "throws in Swift": ("A.swift", "func total(_ id: Int) -> Int { id }\n", "-> Int", "throws -> Int", "B.swift", "func go() -> Int { total(3) }\n", THROWS),
    "async in TypeScript": ("a.ts", TS, "function", "async function", "b.ts", 'import { total } from "./a"\n\nexport const sum = { all: total(3, 4) }\n', LATE),
    "async in a text in TypeScript": ("a.ts", TS, "function", "async function", "b.ts", 'import { total } from "./a"\n\nexport const sum = () => `sum ${total(3, 4)}`\n', LATE),
    "a promise in TypeScript": ("a.ts", TS, "number) {", "number): Promise<number> {", "b.ts", 'import { total } from "./a"\n\nexport const sum = { all: total(3, 4) }\n', LATE),
    "async in Rust": ("src/a.rs", RUST, "pub fn", "pub async fn", "src/b.rs", "use crate::a::total;\n\npub fn sum() {\n    let sum = total(3, 4);\n}\n", LATE),
    "async in a template of TypeScript": ("a.ts", TS, "function", "async function", "b.ts", 'import { total } from "./a"\n\nexport function go() {\n  const text = `${total(3, 4)}/sum`\n}\n', LATE),
    "async in a text of Python": ("a.py", PY, "def total", "async def total", "b.py", "from a import total\n\nTEXT = f'<{1}>{total(3, 4)}/sum'\n", LATE),
    "a task in a text of C#": ("A.cs", CSHARP, "static int", "static Task<int>", "B.cs", 'namespace Shop;\n\npublic class Cart\n{\n    public string Text() { var text = $"sum: {Prices.Total(3, 4)}"; return text; }\n}\n', LATE),
    "an array in a text of Kotlin": ("src/A.kt", "package shop\n\nfun titleOf(id: String): String = id\n", "): String", "): List<String>", "src/B.kt", 'package shop\n\nfun text() = "title: ${titleOf("x")}"\n', OTHER),
    "a task in C#": ("A.cs", CSHARP, "static int", "static Task<int>", "B.cs", "namespace Shop;\n\npublic class Cart\n{\n    public int Sum() { var sum = Prices.Total(3, 4); return sum; }\n}\n", LATE),
    "one more result in Go": ("a/a.go", GO, ") int", ") (int, error)", "b/b.go", 'package b\n\nimport "shop/a"\n\nfunc Sum() {\n\tsum := a.Total(3)\n\t_ = sum\n}\n', OTHER),
    "one result less in Go": ("a/a.go", GO.replace(") int", ") (int, any, error)"), ") (int, any, error)", ") (int, error)", "b/b.go", 'package b\n\nimport "shop/a"\n\nfunc Sum() {\n\tsum, _, err := a.Total(3)\n}\n', OTHER),
    "an option in Rust": ("src/a.rs", RUST, "-> u32", "-> Option<u32>", "src/b.rs", "use crate::a::total;\n\npub fn sum() {\n    let sum = total(3, 4);\n}\n", OTHER),
    "an array in C#": ("A.cs", CSHARP, "static int", "static int[]", "B.cs", "namespace Shop;\n\npublic class Cart\n{\n    public int Sum() { var sum = Prices.Total(3, 4); return sum; }\n}\n", OTHER),
    "an optional in Java": ("src/shop/A.java", JAVA, "static String", "static Optional<String>", "src/shop/B.java", 'package shop;\n\npublic class B {\n    void go() { String name = A.titleOf("x"); }\n}\n', OTHER),
    "a member of what may be null in Kotlin": ("src/A.kt", "package shop\n\nfun titleOf(id: String): String = id\n", "): String", "): String?", "src/B.kt", 'package shop\n\nfun size(): Int = titleOf("x").length\n', OTHER),
}  # fmt: skip


@pytest.mark.parametrize("what", OUTDATED)
def test_call_that_may_no_longer_do_the_same_is_open(repository: Repository, what: str) -> None:
    """A call is open if arguments reach other parameters, it doesn't wait for a result, or the result is another."""
    path, text, old, new, user, call, reason = OUTDATED[what]
    crate = {
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/lib.rs": "pub mod a;\npub mod b;\n",
        "go.mod": "module shop\n",
    }
    ((place, says),) = opened(repository, {**crate, path: text, user: call}, {path: text.replace(old, new)})
    assert place == user
    assert reason in says


FINE = {
    "an interface in place of a class": ("src/shop/A.java", JAVA, "String id", "CharSequence id", "src/shop/B.java", 'package shop;\n\npublic class B {\n    void go() { A.titleOf("x"); }\n}\n'),
    "a type parameter": ("src/shop/A.java", JAVA, "static String titleOf(String id)", "static <Id> String titleOf(Id id)", "src/shop/B.java", 'package shop;\n\npublic class B {\n    void go() { A.titleOf("x"); }\n}\n'),
    "another class": ("A.cs", CSHARP, "int price", "long price", "B.cs", "namespace Shop;\n\npublic class Cart\n{\n    public int Sum() => Prices.Total(3, 4);\n}\n"),
    "a call with `try`": ("A.swift", "func total(_ id: Int) -> Int { id }\n", "-> Int", "throws -> Int", "B.swift", "func go() throws -> Int { try total(3) }\n"),
    "arguments by name": ("a.py", PY, "price, rate)", "rate, price)", "b.py", "from a import total\n\nSUM = total(price=3, rate=4)\n"),
    "one argument, which is in its place": ("a.py", "def total(price, rate=1, tax=1):\n    return price\n", "rate=1, tax=1", "tax=1, rate=1", "b.py", "from a import total\n\nSUM = total(3)\n"),
    "a call that waits": ("a.py", PY, "def total", "async def total", "b.py", "import asyncio\n\nfrom a import total\n\nSUM = asyncio.run(total(3, 4))\n"),
    "a returned promise": ("a.ts", TS, "function", "async function", "b.ts", 'import { total } from "./a"\n\nexport const sum = () => total(3, 4)\n'),
    "a template that waits": ("a.ts", TS, "function", "async function", "b.ts", 'import { total } from "./a"\n\nexport async function go() {\n  const text = `${await total(3, 4)}/sum`\n}\n'),
    "a call in a block behind a text": ("a.ts", TS, "function", "async function", "b.ts", 'import { total } from "./a"\n\nexport function go(name: string) {\n  if (name === "f") { total(3, 4) }\n}\n'),
    "a call without a use of the result": ("a.ts", TS, "function", "async function", "b.ts", 'import { total } from "./a"\n\nexport function go() {\n  total(3, 4)\n}\n'),
    "another spelling of a result": ("a/a.go", GO.replace(") int", ") (interface{}, error)"), "interface{}", "any", "b/b.go", 'package b\n\nimport "shop/a"\n\nfunc Sum() {\n\tsum, err := a.Total(3)\n}\n'),
    "a new result that is left out": ("a/a.go", GO.replace(") int", ") error"), ") error", ") (int, error)", "b/b.go", 'package b\n\nimport "shop/a"\n\nfunc Sum() {\n\ta.Total(3)\n}\n'),
    "a box in Rust": ("src/a.rs", RUST, "-> u32", "-> Box<u32>", "src/b.rs", "use crate::a::total;\n\npub fn sum() {\n    let sum = total(3, 4);\n}\n"),
    "what may be null in Kotlin": ("src/A.kt", "package shop\n\nfun titleOf(id: String): String = id\n", "): String", "): String?", "src/B.kt", 'package shop\n\nfun size(): Int? = titleOf("x")?.length\n\nfun text() = titleOf("x").orEmpty()\n'),
    "a parameter that collects arguments now": ("a/a.go", GO, "price int", "prices ...int", "b/b.go", 'package b\n\nimport "shop/a"\n\nfunc Sum() {\n\tsum := a.Total(3)\n\t_ = sum\n}\n'),
    "a function that was asynchronous": ("a.ts", TS.replace("function", "async function"), "number) {", "number): Promise<number> {", "b.ts", 'import { total } from "./a"\n\nexport const sum = { all: total(3, 4) }\n'),
}  # fmt: skip


@pytest.mark.parametrize("what", FINE)
def test_call_that_still_does_the_same_is_not_open(repository: Repository, what: str) -> None:
    """A call is not open if each argument reaches the same parameter, and something waits for the result."""
    path, text, old, new, user, call = FINE[what]
    project = {
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/lib.rs": "pub mod a;\npub mod b;\n",
        "go.mod": "module shop\n",
    }
    assert opened(repository, {**project, path: text, user: call}, {path: text.replace(old, new)}) == []


def test_call_in_an_edited_statement_is_not_open(repository: Repository) -> None:
    """A statement of several lines that the change edits is read with the change."""
    call = 'import { total } from "./a"\n\nexport const sum = total(\n  3,\n  4,\n)\n'
    before = {"a.ts": TS, "b.ts": call}
    after = {"a.ts": TS.replace("price: number, rate: number", "rate: number, price: number")}
    assert opened(repository, before, {**after, "b.ts": call.replace("3,\n  4", "4,\n  3")}) == []


def test_call_with_an_argument_in_each_line_is_not_open_if_the_change_edits_one(repository: Repository) -> None:
    names = [f"part{number}" for number in range(20)]
    order = [*names[:18], "added", *names[18:]]
    declared = "export function total({}) {{\n  return 1\n}}\n"
    called = 'import {{ total }} from "./a"\n\nexport const sum = (v: any) => total(\n{})\n'
    before, after = (
        {
            "a.ts": declared.format(", ".join(f"{name}: any" for name in parts)),
            "b.ts": called.format("".join(f"  v.{name},\n" for name in parts)),
        }
        for parts in (names, order)
    )
    assert opened(repository, before, after) == []


# what -> (file of the interface, its text, the former and the new part, the file of the implementer, its text)
IMPLEMENTED = {
    "C#": ("IStore.cs", "namespace Shop;\n\npublic interface IStore\n{\n    string Find(string id);\n}\n", "string Find", "Task<string> Find", "Memory.cs", "namespace Shop;\n\npublic class Memory : IStore\n{\n    public string Find(string id) => id;\n}\n"),
    "Java": ("src/shop/Store.java", "package shop;\n\npublic interface Store {\n    String find(String id);\n}\n", "String find", "Optional<String> find", "src/shop/Memory.java", "package shop;\n\npublic class Memory implements Store {\n    @Override\n    public String find(String id) { return id; }\n}\n"),
    "Kotlin": ("src/Store.kt", "package shop\n\ninterface Store {\n    fun find(id: String): String\n}\n", "): String", "): List<String>", "src/Memory.kt", "package shop\n\nclass Memory : Store {\n    override fun find(id: String): String = id\n}\n"),
    "PHP": ("src/Store.php", "<?php\nnamespace Shop;\n\ninterface Store\n{\n    public function find(string $id): string;\n}\n", "): string", "): array", "src/Memory.php", "<?php\nnamespace Shop;\n\nclass Memory implements Store\n{\n    public function find(string $id): string { return $id; }\n}\n"),
    "Swift": ("Sources/Store.swift", "protocol Store {\n    func find(id: String) -> String\n}\n", "-> String", "-> [String]", "Sources/Memory.swift", "class Memory: Store {\n    func find(id: String) -> String { id }\n}\n"),
    "Rust": ("src/store.rs", "pub trait Store {\n    fn find(&self, id: &str) -> String;\n}\n", "-> String", "-> Option<String>", "src/memory.rs", "use crate::store::Store;\n\npub struct Memory;\n\nimpl Store for Memory {\n    fn find(&self, id: &str) -> String { id.into() }\n}\n"),
    "Go": ("store/store.go", "package store\n\ntype Store interface {\n\tFind(id, kind string) error\n\tCount() int\n}\n", "string) error", "string) (bool, error)", "memory/memory.go", "package memory\n\ntype Memory struct{}\n\nfunc (m *Memory) Find(id string, kind string) error { return nil }\n\nfunc (m *Memory) Count() int { return 1 }\n"),
    "another parameter in Go": ("store/store.go", "package store\n\ntype Store interface {\n\tFind(id string) error\n\tCount() int\n}\n", "id string", "id string, all bool", "memory/memory.go", "package memory\n\ntype Memory struct{}\n\nfunc (m *Memory) Find(id string) error { return nil }\n\nfunc (m *Memory) Count() int { return 1 }\n"),
}  # fmt: skip
PROJECT = {
    "composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}}\n',
    "Cargo.toml": '[package]\nname = "shop"\n',
    "src/lib.rs": "pub mod store;\npub mod memory;\n",
    "go.mod": "module shop\n\ngo 1.22\n",
}


@pytest.mark.parametrize("what", IMPLEMENTED)
def test_implementer_with_the_former_types_is_open(repository: Repository, what: str) -> None:
    """An implementer is open if the interface's method has other types now, and the implementer's has not."""
    path, text, old, new, user, method = IMPLEMENTED[what]
    ((place, says),) = opened(repository, {**PROJECT, path: text, user: method}, {path: text.replace(old, new)})
    assert place == user
    assert TYPES in says


def test_other_types_are_not_implementers(repository: Repository) -> None:
    """A type is not open if it lacks other methods of the interface, or if it may return less than the interface."""
    go, csharp = IMPLEMENTED["Go"], IMPLEMENTED["C#"]
    before = {**PROJECT, go[0]: go[1], go[4]: go[5].partition("func (m *Memory) Count")[0]}
    later = [text.replace("string Find", "Task<string> Find") for text in (csharp[1], csharp[5])]
    before |= {csharp[0]: later[0], csharp[4]: later[1]}
    after = {go[0]: go[1].replace(go[2], go[3]), csharp[0]: later[0].replace("<string>", "<string?>")}
    assert opened(repository, before, after) == []
