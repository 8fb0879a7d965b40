"""What a consumer can name of a library, over real clones of both: what only the library itself can see is nobody's contract."""

import pytest
from fakes import Repository
from test_consumers import POM, TAKING_POM, Others, Pair, affected

import deeprepo

CARGO = '[package]\nname = "quotes"\nversion = "1.4.0"\n'
TAKING_CARGO = '[package]\nname = "bill"\nversion = "1.0.0"\n\n[dependencies]\nquotes = "1.0"\n'
TAX = "pub fn rate() -> u32 {\n    1\n}\npub fn other() -> u32 {\n    2\n}\n"
LESS_TAX = "pub fn other() -> u32 {\n    2\n}\n"


def crate(before: dict[str, str | None], after: dict[str, str | None], used: str, line: int = 0) -> Pair:
    """A crate whose change meets one file of another crate; `line`: where it breaks, 0 where it never compiled."""
    broken = ("src/main.rs", line, "consumer-removed-symbol") if line else None
    return Pair({"Cargo.toml": CARGO, **before}, after, {"Cargo.toml": TAKING_CARGO, "src/main.rs": used}, broken)  # type: ignore[arg-type]


RATE = "use quotes::tax::rate;\n\nfn main() {\n    rate();\n}\n"
HIDDEN = {
    "a function of the crate": crate(
        {"src/lib.rs": "pub mod tax;\n", "src/tax.rs": TAX.replace("pub fn rate", "pub(crate) fn rate")}, {"src/tax.rs": LESS_TAX}, RATE
    ),
    "a function of the module above": crate(
        {"src/lib.rs": "pub mod tax;\n", "src/tax.rs": TAX.replace("pub fn rate", "pub(super) fn rate")}, {"src/tax.rs": LESS_TAX}, RATE
    ),
    "a function of a path in the crate": crate(
        {"src/lib.rs": "pub mod tax;\n", "src/tax.rs": TAX.replace("pub fn rate", "pub(in crate::tax) fn rate")}, {"src/tax.rs": LESS_TAX}, RATE
    ),
    "a method of the crate": crate(
        {"src/lib.rs": "pub struct Tax;\nimpl Tax {\n    pub(crate) fn total_rate() -> u32 { 1 }\n    pub fn other() {}\n}\n"},
        {"src/lib.rs": "pub struct Tax;\nimpl Tax {\n    pub fn other() {}\n}\n"},
        "use quotes::Tax;\n\nfn main() {\n    Tax::total_rate();\n}\n",
    ),
    "a private module": crate({"src/lib.rs": "mod tax;\n", "src/tax.rs": TAX}, {"src/tax.rs": LESS_TAX}, RATE),
    "a module of the crate": crate({"src/lib.rs": "pub(crate) mod tax;\n", "src/tax.rs": TAX}, {"src/tax.rs": LESS_TAX}, RATE),
    "a private module that goes": crate(
        {"src/lib.rs": "mod tax;\npub fn x() {}\n", "src/tax.rs": TAX}, {"src/lib.rs": "pub fn x() {}\n", "src/tax.rs": None}, RATE
    ),
    "a module below a private one": crate(
        {"src/lib.rs": "mod inner;\n", "src/inner/mod.rs": "pub mod tax;\n", "src/inner/tax.rs": TAX},
        {"src/inner/tax.rs": LESS_TAX},
        RATE.replace("tax::", "inner::tax::"),
    ),
    "a private module in a macro of conditions": crate(
        {"src/lib.rs": "cfg_rt! {\n    mod tax;\n}\n", "src/tax.rs": TAX}, {"src/tax.rs": LESS_TAX}, RATE
    ),
    "a private module that is renamed": crate(
        {"src/lib.rs": "mod tax;\n", "src/tax.rs": TAX}, {"src/lib.rs": "mod duty;\n", "src/tax.rs": None, "src/duty.rs": TAX}, RATE
    ),
    "a function of the crate that is renamed": crate(
        {"src/lib.rs": "pub mod tax;\n", "src/tax.rs": TAX.replace("pub fn rate", "fn rate")}, {"src/tax.rs": TAX.replace("rate", "duty")}, RATE
    ),
    "a file in no tree of modules": crate({"src/lib.rs": "pub fn x() {}\n", "src/tax.rs": TAX}, {"src/tax.rs": LESS_TAX}, RATE),
    "a file whose module is in a comment": crate({"src/lib.rs": "// pub mod tax;\npub fn x() {}\n", "src/tax.rs": TAX}, {"src/tax.rs": LESS_TAX}, RATE),
    "a name handed on within the crate": crate(
        {"src/lib.rs": "pub mod body;\n", "src/body/mod.rs": "pub(crate) use self::tax::rate;\nmod tax;\n", "src/body/tax.rs": TAX},
        {"src/body/mod.rs": "mod tax;\n", "src/body/tax.rs": LESS_TAX},
        RATE.replace("tax::", "body::"),
    ),
    "a name that a file takes for itself": crate(
        {"src/lib.rs": "pub mod body;\n", "src/body/mod.rs": "use self::tax::rate;\nmod tax;\n", "src/body/tax.rs": TAX},
        {"src/body/mod.rs": "mod tax;\n", "src/body/tax.rs": LESS_TAX},
        RATE.replace("tax::", "body::"),
    ),
}  # fmt: skip
OPEN = {
    "a public module": crate({"src/lib.rs": "pub mod tax;\n", "src/tax.rs": TAX}, {"src/tax.rs": LESS_TAX}, RATE, 4),
    "a public module in a macro of conditions": crate(
        {"src/lib.rs": "cfg_rt! {\n    pub mod tax;\n}\n", "src/tax.rs": TAX}, {"src/tax.rs": LESS_TAX}, RATE, 4
    ),
    "a module that is public under a condition": crate(
        {"src/lib.rs": "#[cfg(a)]\npub mod tax;\n#[cfg(not(a))]\nmod tax;\n", "src/tax.rs": TAX}, {"src/tax.rs": LESS_TAX}, RATE, 4
    ),
    "a name of a private module, handed on": crate(
        {"src/lib.rs": "mod tax;\npub use tax::rate;\n", "src/tax.rs": TAX},
        {"src/lib.rs": "mod tax;\n", "src/tax.rs": LESS_TAX},
        "use quotes::rate;\n\nfn main() {\n    rate();\n}\n",
        4,
    ),
    "everything of a private module, handed on": crate(
        {"src/lib.rs": "mod tax;\npub use tax::*;\n", "src/tax.rs": TAX},
        {"src/tax.rs": LESS_TAX},
        "use quotes::rate;\n\nfn main() {\n    rate();\n}\n",
        4,
    ),
    "a public module that is renamed": crate(
        {"src/lib.rs": "pub mod tax;\n", "src/tax.rs": TAX}, {"src/lib.rs": "pub mod duty;\n", "src/tax.rs": None, "src/duty.rs": TAX}, RATE, 1
    ),
    "a module that a macro may declare": crate(
        {"src/lib.rs": "modules! { tax }\n", "src/tax.rs": TAX}, {"src/tax.rs": LESS_TAX}, RATE, 4
    ),
}  # fmt: skip


@pytest.mark.parametrize("pair", HIDDEN.values(), ids=HIDDEN)
def test_what_a_crate_keeps_to_itself_breaks_no_other(repository: Repository, repositories: Others, pair: Pair) -> None:
    """The other crate could not name it before the change."""
    found = affected(repository, repositories, pair)
    assert [(one.rule, one.title) for one in found.broken if one.consumer] == []
    assert [one.state for one in found.consumers] == ["checked"]


@pytest.mark.parametrize("pair", OPEN.values(), ids=OPEN)
def test_what_a_crate_opens_breaks_others(repository: Repository, repositories: Others, pair: Pair) -> None:
    """Whatever way leads to it from outside."""
    found = affected(repository, repositories, pair)
    assert pair.broken is not None
    path, line, _ = pair.broken
    places = [(one.path, one.line) for one in found.broken if one.consumer and one.proven]
    assert (f"billing:{path}", line) in places


CALLBACK = "package com.acme;\n\npublic interface Callback {\n    void onResponse(int code);\n}\n"
NEW_CALLBACK = CALLBACK.replace("int code", "String call, int code")
OWN_CALLBACK = "package com.bill;\n\npublic interface Callback<T> {\n    void onResponse(T one);\n}\n"
CALL = "package com.bill;\n\nclass Call<T> {\n    void enqueue(final Callback<T> callback, T one) {\n        take(new com.acme.Callback() {\n        });\n        callback.onResponse(one);\n    }\n}\n"
KOTLIN_CALL = "package com.bill\n\nclass Call<T> {\n    fun enqueue(callback: Callback<T>, one: T, theirs: com.acme.Callback) {\n        callback.onResponse(one)\n    }\n}\n"
QUALIFIED = "package com.bill;\n\nclass Call {\n    void enqueue(final com.acme.Callback callback) {\n        callback.onResponse(3);\n    }\n}\n"
JAVA = "src/main/java/com"


def library(consumer: dict[str, str]) -> Pair:
    """A library whose interface asks for another argument, and files that may call it."""
    before = {"pom.xml": POM, f"{JAVA}/acme/Callback.java": CALLBACK}
    return Pair(before, {f"{JAVA}/acme/Callback.java": NEW_CALLBACK}, {"pom.xml": TAKING_POM, **consumer}, None)


NAMESAKES = {
    "java": library({f"{JAVA}/bill/Callback.java": OWN_CALLBACK, f"{JAVA}/bill/Call.java": CALL}),
    "kotlin": library({f"{JAVA}/bill/Callback.java": OWN_CALLBACK, f"{JAVA}/bill/Call.kt": KOTLIN_CALL}),
}


@pytest.mark.parametrize("pair", NAMESAKES.values(), ids=NAMESAKES)
def test_a_name_written_with_its_package_means_nothing_where_it_stands_alone(
    repository: Repository, repositories: Others, pair: Pair
) -> None:
    """The bare name is the consumer's own type; nothing is proven of a call of its method."""
    found = affected(repository, repositories, pair)
    assert [(one.path, one.line) for one in found.broken if one.consumer and one.proven] == []


def test_a_name_written_with_its_package_is_a_use(repository: Repository, repositories: Others) -> None:
    """The type of the parameter says whose method is called."""
    found = affected(repository, repositories, library({f"{JAVA}/bill/Call.java": QUALIFIED}))
    places = [(one.path, one.line) for one in found.broken if one.consumer and one.proven]
    assert places == [(f"billing:{JAVA}/bill/Call.java", 5)]


def test_a_name_alone_is_not_the_one_with_a_package_within_a_repository(repository: Repository) -> None:
    """Both types in one repository: a call of one is no use of the other."""
    repository.commit(
        {
            f"{JAVA}/acme/Callback.java": CALLBACK,
            f"{JAVA}/bill/Callback.java": OWN_CALLBACK,
            f"{JAVA}/bill/Call.java": CALL,
        },
        "before",
    )
    repository.commit({f"{JAVA}/acme/Callback.java": NEW_CALLBACK}, "after")
    found = deeprepo.impact(repository.folder, "HEAD~1..HEAD")
    assert [(one.path, one.line) for one in found.broken if one.proven] == []
