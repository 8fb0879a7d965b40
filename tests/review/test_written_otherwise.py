"""Uses that break and are written in a way of their own: under a condition, in a macro, in a group of a group, on a field. None is clean."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest
from fakes import Repository

from bot import pipeline, wiring
from bot.values import ReviewRequest

Files = Mapping[str, str]
CARGO = {"Cargo.toml": '[package]\nname = "shop"\nversion = "1.0.0"\n'}
GO = {"go.mod": "module example.com/shop\n\ngo 1.22\n"}
OTHER = "pub fn expand(x: i32) -> i32 {\n    x\n}\n"
MODULES = "mod cart;\nmod order;\nmod till;\n\n"
ORDER = "pub fn expand(a: i32) -> i32 {\n    a\n}\n\npub fn keep() {}\n"
WIDER = {"src/order.rs": ORDER.replace("a: i32", "a: i32, b: i32")}
GONE = {"src/order.rs": "pub fn keep() {}\n"}
RUST = {
    "a statement that is built under a condition": "pub fn run() -> i32 {\n    #[cfg(debug_assertions)]\n    return order::expand(1);\n\n    2\n}\n",
    "a function that is": "#[cfg(unix)]\npub fn run() -> i32 {\n    order::expand(1)\n}\n",
    "an import that is": "#[cfg(unix)]\nuse order::expand;\n\n#[cfg(unix)]\npub fn run() -> i32 {\n    expand(1)\n}\n",
    "an argument of println": 'pub fn run() {\n    println!("{}", order::expand(1));\n}\n',
    "an element of vec": "pub fn run() -> Vec<i32> {\n    vec![crate::order::expand(1)]\n}\n",
    "tokens of any macro": "pub fn run() {\n    register!(parts = [order::expand, till::expand]);\n}\n",
    "the text of a macro": "macro_rules! run {\n    ($x:expr) => {\n        $crate::order::expand($x)\n    };\n}\n",
    "a group of a group": "pub use crate::{\n    a::{b::{c::x as y}},\n    cart::{expand as put},\n    order::{expand as take},\n    till::{expand as pay},\n};\n\npub fn run() -> i32 {\n    take(1)\n}\n",
}  # fmt: skip


def rust(app: str) -> Files:
    return {
        **CARGO,
        "src/lib.rs": MODULES + app,
        "src/order.rs": ORDER,
        "src/cart.rs": OTHER,
        "src/till.rs": OTHER,
    }


@pytest.fixture
def open_places(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # noqa: ANN201
    """Review a change without a model: the places that are open or have a finding."""
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)

    def run(before: Files, after: Files) -> set[tuple[str, int]]:
        repository.commit(dict(before), "before")
        repository.git("checkout", "-qb", "feature")
        repository.commit(dict(after), "after")
        given = wiring.deps({}, str(tmp_path), lambda _: None)
        review = asyncio.run(pipeline.review(ReviewRequest(str(repository.folder)), given))
        findings = [placed.finding for placed in review.findings]
        places = {(finding.path, finding.start) for finding in findings}
        places |= {(one.path, one.line) for finding in findings for one in finding.evidence}
        return places | {(row.path, row.line) for row in review.coverage.open}

    return run


@pytest.mark.parametrize("after", [GONE, WIDER], ids=["gone", "parameters"])
@pytest.mark.parametrize("app", [*RUST.values()], ids=[*RUST])
def test_a_use_of_rust_is_told_wherever_it_is_written(open_places, app: str, after: Files) -> None:  # noqa: ANN001
    """A condition foresees nothing, and a path among the tokens of a macro means what it says."""
    assert "src/lib.rs" in {path for path, _ in open_places(rust(app), after)}


@pytest.mark.parametrize(
    "app",
    [
        'pub fn run() {\n    println!("{}", till::expand(1));\n}\n',
        "#[cfg(unix)]\npub fn run() -> i32 {\n    till::expand(1)\n}\n",
        "use std::{fmt::{self, Display}};\n\npub fn run() {\n    register!(parts = [cart::expand]);\n}\n",
    ],
    ids=["macro", "condition", "tokens"],
)
def test_the_same_name_of_another_module_stays_clean(open_places, app: str) -> None:  # noqa: ANN001
    """The path says whose function it is."""
    assert open_places(rust(app), GONE) == set()


def test_of_imports_that_are_called_alike_the_broken_one_is_told(open_places) -> None:  # noqa: ANN001
    """A statement may take the same name from several files, each on a line of its own."""
    app = "pub use crate::{\n    cart::expand as put,\n    order::expand as take,\n    till::expand as pay,\n};\n"
    assert {line for path, line in open_places(rust(app), GONE) if path == "src/lib.rs"} == {7}


CONVERT = "use crate::writer::Writer;\n\nimpl Writer {\n    pub fn write_order(&mut self, id: i32) {}\n}\n"
WRITER = "pub struct Writer {}\n\nimpl Writer {\n    pub fn run(&mut self) {\n        CALL;\n    }\n}\n"


@pytest.mark.parametrize(
    ("call", "is_told"),
    [("self.write_order(1)", True), ("let w = Writer {}; w.write_order(1)", True), ("let w = Page {}; w.write_order(1)", False)],
    ids=["self", "local", "another type"],
)  # fmt: skip
def test_a_method_in_a_block_of_another_file_has_callers(open_places, call: str, is_told: bool) -> None:  # noqa: ANN001
    """Nobody imports an `impl`; a macro or another type may have a method that is called alike."""
    before = {
        **CARGO,
        "src/lib.rs": "mod writer;\nmod parts;\nmod pages;\n",
        "src/parts/mod.rs": "mod order;\n",
        "src/parts/order.rs": CONVERT,
        "src/pages.rs": "pub struct Page {}\n\nimpl Page {\n    pub fn write_order(&mut self, id: i32) {}\n}\n",
        "src/writer.rs": WRITER.replace("CALL", call),
    }
    after = {"src/parts/order.rs": CONVERT.replace("id: i32", "id: i32, at: i32")}
    assert (("src/writer.rs", 5) in open_places(before, after)) is is_told


EXPAND = "package order\n\nfunc Expand(a int) int {\n\treturn a\n}\n"
KEEP = "package order\n\nvar Keep = 1\n"
CALLER = 'package cmd\n\nimport "example.com/shop/order"\n\nfunc Run() int {\n\treturn order.Expand(1)\n}\n'
TAGGED = "//go:build pro\n\n"


@pytest.mark.parametrize(
    ("before", "after", "is_told"),
    [
        ({"order/x_linux.go": EXPAND, "order/x_freebsd.go": EXPAND}, {"order/x_freebsd.go": KEEP}, True),
        ({"order/x_linux.go": EXPAND, "order/x_freebsd.go": EXPAND}, {"order/x_freebsd.go": None}, True),
        ({"order/x.go": "//go:build !pro\n\n" + EXPAND, "order/y.go": TAGGED + EXPAND}, {"order/y.go": TAGGED + KEEP}, True),
        ({"order/x.go": TAGGED + EXPAND, "order/y.go": TAGGED + KEEP}, {"order/x.go": TAGGED + KEEP.replace("Keep", "Kept"), "order/y.go": TAGGED + EXPAND}, False),
    ],
    ids=["suffix", "file", "tag", "moved"],
)  # fmt: skip
def test_an_alternative_for_another_platform_does_not_stand_in(
    open_places,  # noqa: ANN001
    before: Files,
    after: dict[str, str],
    is_told: bool,
) -> None:
    """Where the removed one was built, nothing is left; one under the same conditions is there wherever that one was."""
    assert (("cmd/run.go", 6) in open_places({**GO, "cmd/run.go": CALLER, **before}, after)) is is_told


SETS = "package sets\n\ntype Sets []int\n\nfunc (s *Sets) FromText(text string) error {\n\treturn nil\n}\n"
USER = 'package cmd\n\nimport (\n\t"net/http"\n\n\t"example.com/shop/sets"\n)\n\ntype Shop struct {\n\tRetry sets.Sets\n}\n\nvar Home = http.Home\n\nfunc Run(s *Shop, b *sets.Sets) error {\n\treturn CALL("x")\n}\n'
NAMESAKE = "package words\n\ntype Words []int\n\nfunc (w *Words) FromText(text string) error {\n\treturn nil\n}\n"


@pytest.mark.parametrize(
    ("call", "is_told"), [("s.Retry.FromText", True), ("http.Retry.FromText", False)], ids=["field", "library"]
)
def test_a_field_in_capitals_is_no_other_class(open_places, call: str, is_told: bool) -> None:  # noqa: ANN001
    """Go writes exported fields like types; what a package of another tree has is not meant."""
    before = {**GO, "sets/s.go": SETS, "words/w.go": NAMESAKE, "cmd/run.go": USER.replace("CALL", call)}
    places = open_places(before, {"sets/s.go": SETS.replace("FromText", "FromString")})
    assert (("cmd/run.go", 16) in places) is is_told


STATUS = "package cmd\n\ntype Status struct {\n\tResp int\n}\n\ntype Other struct {\n\tResp int\n}\n"


@pytest.mark.parametrize(
    ("body", "is_told"),
    [
        ("func f(all []Status) {\n\tfor _, one := range all {\n\t\tprintln(one.Resp)\n\t}\n}\n", True),
        ("func f(all map[string]*Status) {\n\tfor _, one := range all {\n\t\tprintln(one.Resp)\n\t}\n}\n", True),
        ("func f(all ...Status) {\n\tfor i := range all {\n\t\tprintln(all[i].Resp)\n\t}\n}\n", True),
        ("func f() {\n\tall := make([]Status, 1)\n\tprintln(all[0].Resp)\n}\n", True),
        ("func f(all []Other) {\n\tfor _, one := range all {\n\t\tprintln(one.Resp)\n\t}\n}\n", False),
    ],
    ids=["list", "table", "rest", "made", "another type"],
)
def test_an_element_of_a_list_has_its_type(open_places, body: str, is_told: bool) -> None:  # noqa: ANN001
    """What a function says of a list, it says of each element."""
    after = {"cmd/status.go": STATUS.replace("Resp int", "Answer int", 1)}
    places = open_places({**GO, "cmd/status.go": STATUS, "cmd/print.go": f"package cmd\n\n{body}"}, after)
    assert ("cmd/print.go" in {path for path, _ in places}) is is_told


COMMAND = "<?php\nnamespace Shop\\Text\\Command;\n\nfinal class ListFiles\n{\n}\n"
APPLICATION = "<?php\nnamespace Shop\\Text;\n\nuse SPACE\\Command\\ListFiles;\n\nfunction run() {\n    return new ListFiles();\n}\n"


@pytest.mark.parametrize("more", [{}, {"tools/vendor/a/composer.json": '{"autoload": {"psr-4": {"A\\\\": "src"}}}'}])
@pytest.mark.parametrize(("space", "is_told"), [("Shop\\Text", True), ("Else\\Where", False)])
def test_a_class_in_a_folder_that_its_namespace_leaves_out_has_users(
    open_places,  # noqa: ANN001
    more: Files,
    space: str,
    is_told: bool,
) -> None:
    """Composer's class map finds a class wherever it is; the folders tell which one a namespace means."""
    before = {
        "composer.json": '{"autoload": {"classmap": ["src/"]}}',
        "src/Text/Command/Commands/ListFiles.php": COMMAND,
        "src/Text/Application.php": APPLICATION.replace("SPACE", space),
        **more,
    }
    places = open_places(before, {"src/Text/Command/Commands/ListFiles.php": COMMAND.replace("ListFiles", "ListOther")})
    assert ("src/Text/Application.php" in {path for path, _ in places}) is is_told
