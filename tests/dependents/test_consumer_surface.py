"""Names that only the library can see are not part of its contract with consumers (real clones of both)."""

import pytest
from fakes import Repository
from test_consumers import POM, TAKING_POM, Others, Pair, affected

import deeprepo

CALLBACK = "package com.acme;\n\npublic interface Callback {\n    void onResponse(int code);\n}\n"
NEW_CALLBACK = CALLBACK.replace("int code", "String call, int code")
OWN_CALLBACK = "package com.bill;\n\npublic interface Callback<T> {\n    void onResponse(T one);\n}\n"
CALL = "package com.bill;\n\nclass Call<T> {\n    void enqueue(final Callback<T> callback, T one) {\n        take(new com.acme.Callback() {\n        });\n        callback.onResponse(one);\n    }\n}\n"
KOTLIN_CALL = "package com.bill\n\nclass Call<T> {\n    fun enqueue(callback: Callback<T>, one: T, theirs: com.acme.Callback) {\n        callback.onResponse(one)\n    }\n}\n"
QUALIFIED = "package com.bill;\n\nclass Call {\n    void enqueue(final com.acme.Callback callback) {\n        callback.onResponse(3);\n    }\n}\n"
JAVA = "src/main/java/com"


def library(consumer: dict[str, str]) -> Pair:
    """Return a library whose interface method gets another parameter, and a consumer with these files."""
    before = {"pom.xml": POM, f"{JAVA}/acme/Callback.java": CALLBACK}
    return Pair(before, {f"{JAVA}/acme/Callback.java": NEW_CALLBACK}, {"pom.xml": TAKING_POM, **consumer}, None)


NAMESAKES = {
    "java": library({f"{JAVA}/bill/Callback.java": OWN_CALLBACK, f"{JAVA}/bill/Call.java": CALL}),
    "kotlin": library({f"{JAVA}/bill/Callback.java": OWN_CALLBACK, f"{JAVA}/bill/Call.kt": KOTLIN_CALL}),
}


@pytest.mark.parametrize("pair", NAMESAKES.values(), ids=NAMESAKES)
def test_unqualified_name_does_not_refer_to_the_library_type(
    repository: Repository, repositories: Others, pair: Pair
) -> None:
    """An unqualified name means the consumer's own type, even if the library's is qualified nearby."""
    found = affected(repository, repositories, pair)
    assert [(one.path, one.line) for one in found.broken if one.consumer and one.proven] == []


def test_qualified_name_is_a_reference_to_the_library_type(repository: Repository, repositories: Others) -> None:
    """A parameter with the library's qualified type makes a call of its method a proven break."""
    found = affected(repository, repositories, library({f"{JAVA}/bill/Call.java": QUALIFIED}))
    places = [(one.path, one.line) for one in found.broken if one.consumer and one.proven]
    assert places == [(f"billing:{JAVA}/bill/Call.java", 5)]


def test_unqualified_and_qualified_types_in_one_repository_are_distinct(repository: Repository) -> None:
    """If both types are in one repository, a call on one type is not a reference to the other."""
    repository.commit(
        {
            f"{JAVA}/acme/Callback.java": CALLBACK,
            f"{JAVA}/bill/Callback.java": OWN_CALLBACK,
            f"{JAVA}/bill/Call.java": CALL,
        },
        "before",
    )
    repository.commit({f"{JAVA}/acme/Callback.java": NEW_CALLBACK}, "after")
    found = deeprepo.analyze(repository.folder, "HEAD~1..HEAD")
    assert [(one.path, one.line) for one in found.broken if one.proven] == []
