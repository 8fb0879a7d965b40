"""Calls of a member whose receiver may come from a library."""

import pytest
from dependents_scene import find
from fakes import Repository

CACHE = """use std::collections::BTreeMap;

pub struct SourceFilesCache {
    pub files: BTreeMap<String, u32>,
}

impl SourceFilesCache {
    pub fn retain(&mut self, kept: &[String]) {
        drop(kept);
    }

    pub fn remove_missing(&mut self) {
        self.files.retain(|name, _| !name.is_empty());
    }
}
"""
SETTINGS = """use std::collections::BTreeMap;

pub struct Settings {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, String>,
}
"""


def test_field_declared_with_a_library_type_has_its_members(repository: Repository) -> None:
    """The file declares the field's type, even if the field is named like the class that lost the member."""
    without = CACHE[: CACHE.index("    pub fn retain")] + CACHE[CACHE.index("    pub fn remove_missing") :]
    files: dict[str, str | bytes | None] = {
        "Cargo.toml": '[package]\nname = "a"\n',
        "src/lib.rs": "mod cache;\nmod settings;\n",
        "src/cache.rs": CACHE,
        "src/settings.rs": SETTINGS,
    }
    found = find(repository.change(files, {"src/cache.rs": without}))
    assert [row for row in found.references if row.name.endswith("retain") and (row.missing or row.likely)] == []


@pytest.mark.parametrize(("receiver", "is_likely"), [("cache", True), ("source_files_cache", True), ("files", False)])
def test_middle_words_of_a_class_name_do_not_identify_a_receiver(
    repository: Repository, receiver: str, *, is_likely: bool
) -> None:
    """If a library's class has the method too, words from the middle of a class name don't count."""
    without = CACHE[: CACHE.index("    pub fn retain")] + CACHE[CACHE.index("    pub fn remove_missing") :]
    user = f"pub fn tidy(rows: Vec<u32>) {{\n    with(|{receiver}| {receiver}.retain(&rows));\n}}\n"
    files: dict[str, str | bytes | None] = {
        "Cargo.toml": '[package]\nname = "a"\n',
        "src/lib.rs": "mod cache;\nmod user;\n",
        "src/cache.rs": CACHE,
        "src/user.rs": f"use crate::cache::SourceFilesCache;\n\n{user}",
    }
    found = find(repository.change(files, {"src/cache.rs": without}))
    rows = [row for row in found.references if row.path == "src/user.rs" and row.name.endswith("retain")]
    assert [row.likely for row in rows] == [is_likely]
