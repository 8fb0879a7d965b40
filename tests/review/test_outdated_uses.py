"""Uses that the new declaration may break, although parsers and the comparison of parameters accept them."""

import json

import pytest
from fakes import Repository

import deeprepo

TYPES = "still has the former ones"


def opened(repository: Repository, before: dict[str, str], after: dict[str, str]) -> list[tuple[str, str]]:
    """Return the path and the reason of each use that a static review of the change leaves open."""
    repository.commit({"README.md": "shop\n", **before}, "before")
    repository.commit(dict(after), "after")
    reviewed = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    return [(row["path"], row["reason"]) for row in json.loads(reviewed.to_json())["coverage"]["open"]]


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
