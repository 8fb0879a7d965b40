"""Calls of a member on what another call returns."""

import pytest
from dependents_scene import find
from fakes import Repository

# For each language: the file with the class and a factory, and a file that calls the member in STATEMENT.
JAVA = (
    "src/a/Reply.java",
    "package a;\npublic class Reply {\n  public int getStatusNumber() { return 1; }\n  public static Reply make() { return new Reply(); }\n}\n",
    "src/a/Sender.java",
    "package a;\nimport org.lib.Http;\npublic class Sender {\n  private Http web;\n  void send(Http http) { STATEMENT }\n}\n",
)
KOTLIN = (
    "src/a/Reply.kt",
    "package a\n\nclass Reply {\n    fun getStatusNumber(): Int = 1\n    companion object {\n        fun make() = Reply()\n    }\n}\n",
    "src/a/Sender.kt",
    "package a\n\nimport org.lib.Http\n\nclass Sender {\n    fun send(http: Http) {\n        STATEMENT\n    }\n}\n",
)
CSHARP = (
    "src/Reply.cs",
    "namespace A;\npublic class Reply {\n  public int GetStatusNumber() { return 1; }\n  public static Reply Make() { return new Reply(); }\n}\n",
    "src/Sender.cs",
    "using Lib;\nnamespace A;\npublic class Sender {\n  public async Task Send(Http http) { STATEMENT }\n}\n",
)
PHP = (
    "src/Reply.php",
    "<?php\nnamespace A;\nclass Reply {\n  public function getStatusNumber() { return 1; }\n  public static function make() { return new Reply(); }\n}\n",
    "src/Sender.php",
    "<?php\nnamespace B;\nuse A\\Reply;\nuse Lib\\Http;\nclass Sender {\n  public function send(Http $http) { STATEMENT }\n}\n",
)
RUBY = (
    "lib/reply.rb",
    "class Reply\n  def get_status_number\n    1\n  end\n\n  def self.make\n    new\n  end\nend\n",
    "lib/sender.rb",
    'require_relative "reply"\n\nclass Sender\n  def send_all(http)\n    STATEMENT\n  end\nend\n',
)
SWIFT = (
    "Sources/A/Reply.swift",
    "class Reply {\n  func getStatusNumber() -> Int { return 1 }\n  static func make() -> Reply { return Reply() }\n}\n",
    "Sources/A/Sender.swift",
    "import Lib\nclass Sender {\n  func send(http: Http) {\n    STATEMENT\n  }\n}\n",
)
SCALA = (
    "src/a/Reply.scala",
    "package a\n\nclass Reply {\n  def getStatusNumber(): Int = 1\n}\nobject Reply {\n  def make() = new Reply()\n}\n",
    "src/a/Sender.scala",
    "package a\nimport org.lib.Http\nclass Sender {\n  def sendAll(http: Http): Unit = {\n    STATEMENT\n  }\n}\n",
)


@pytest.mark.parametrize(
    ("language", "statement", "is_proven"),
    [
        (JAVA, "Reply.make().getStatusNumber();", True),
        (JAVA, "http.getStatusLine().getStatusNumber();", False),
        (JAVA, 'http.send(close(1), "(").getStatusNumber();', False),
        (JAVA, "var r = Reply.make(); r.getStatusNumber();", True),
        (JAVA, "var r = http.open(); r.getStatusNumber();", False),
        (JAVA, "var r = http.read(Reply.class); r.getStatusNumber();", True),
        (JAVA, "var r = http.open(); var line = r.status; line.getStatusNumber();", False),
        (JAVA, "var r = web.make(); r.getStatusNumber();", False),
        (JAVA, "for (var r : http.replies()) { r.getStatusNumber(); }", False),
        (JAVA, "try (var r = http.open()) { r.getStatusNumber(); }", False),
        (JAVA, "http.replies().forEach(r -> r.getStatusNumber());", False),
        (JAVA, "http.open(r -> { r.getStatusNumber(); });", False),
        (KOTLIN, "val r = Reply.make()\n        r.getStatusNumber()", True),
        (KOTLIN, "val r = http.open()\n        r.getStatusNumber()", False),
        (KOTLIN, "for (r in http.replies()) r.getStatusNumber()", False),
        (KOTLIN, "http.open { r -> r.getStatusNumber() }", False),
        (KOTLIN, "http.replies().forEach { it.getStatusNumber() }", False),
        (CSHARP, "var r = Reply.Make(); r.GetStatusNumber();", True),
        (CSHARP, "var r = await http.Open<Page>(); r.GetStatusNumber();", False),
        (CSHARP, "foreach (var r in http.Replies()) { r.GetStatusNumber(); }", False),
        (CSHARP, "http.TryOpen(out var r); r.GetStatusNumber();", False),
        (CSHARP, "http.Open(r => r.GetStatusNumber());", False),
        (PHP, "$r = Reply::make(); $r->getStatusNumber();", True),
        (PHP, "$r = $http->open(); $r->getStatusNumber();", False),
        (PHP, "foreach ($http->replies() as $r) { $r->getStatusNumber(); }", False),
        (PHP, "$http->open(function ($r) { $r->getStatusNumber(); });", False),
        (RUBY, "r = Reply.make\n    r.get_status_number()", True),
        (RUBY, "r = http.open_page\n    r.get_status_number()", False),
        (RUBY, "http.replies.each { |r| r.get_status_number() }", False),
        (SWIFT, "let r = Reply.make()\n    r.getStatusNumber()", True),
        (SWIFT, "let r = http.openPage()\n    r.getStatusNumber()", False),
        (SWIFT, "if let r = http.openPage() { r.getStatusNumber() }", False),
        (SWIFT, "http.openPage { r in r.getStatusNumber() }", False),
        (SCALA, "val r = Reply.make()\n    r.getStatusNumber()", True),
        (SCALA, "val r = http.openPage()\n    r.getStatusNumber()", False),
        (SCALA, "for (r <- http.replies()) r.getStatusNumber()", False),
    ],
)
def test_member_of_a_library_result_is_not_reported(
    repository: Repository, language: tuple[str, str, str, str], statement: str, *, is_proven: bool
) -> None:
    """A function that is not defined in the repository may return anything, through any variable."""
    home, reply, place, sender = language
    lines = reply.splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if "tatus" in line)
    without = "".join(lines[:at] + lines[at + (4 if home.endswith(".rb") else 1) :])
    composer = '{"autoload": {"psr-4": {"A\\\\": "src/"}}}'
    files: dict[str, str | bytes | None] = {
        "composer.json": composer,
        home: reply,
        place: sender.replace("STATEMENT", statement),
    }
    found = find(repository.change(files, {home: without}))
    rows = [row for row in found.references if row.path == place and "tatus" in row.name.lower()]
    assert [row.missing for row in rows if row.name.lower().endswith("number")] == [is_proven]


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
