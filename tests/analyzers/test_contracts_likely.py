"""What is gone and still named, if a library could offer it too: a hint, never a fact."""

from collections.abc import Mapping

import pytest
from contract_findings import look
from fakes import Repository

Files = Mapping[str, str]
STORE = "package a\n\ntype Store struct{}\n\nfunc (s *Store) PutAllRows() {}\n"
APP = "package a\n\nfunc f() {\n\tb := open()\n\tb.PutAllRows()\n}\n"
MOD = {"go.mod": "module example.invalid/m\n"}


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (
            {"a/store.go": STORE, "a/app.go": APP},
            {"a/store.go": STORE.replace("PutAllRows", "InsertAll")},
            ("a/app.go", 5, "likely-removed"),
        ),
        (
            {"a/store.go": STORE, "a/app.go": APP},
            {"a/store.go": STORE.replace("PutAllRows()", "PutAllRows(mode int)")},
            ("a/app.go", 5, "likely-required-parameter"),
        ),
    ],
)
def test_a_member_of_a_receiver_of_unknown_type_is_a_hint(
    repository: Repository, before: Files, after: Files, told: tuple[str, int, str]
) -> None:
    """The only definer is gone or asks for more: unproven, at the line, in one line of the report."""
    found = look(repository.change(dict(before), dict(after)))
    assert [(one.path, one.start, one.rule, one.verdict) for one in found] == [(*told, "unproven")]


def test_a_name_that_many_files_use_is_not_even_a_hint(repository: Repository) -> None:
    """What a library offers is used everywhere: a change forgets little."""
    users = {f"a/app{number}.go": APP.replace("f()", f"f{number}()") for number in range(15)}
    pull = repository.change({"a/store.go": STORE, **users}, {"a/store.go": STORE.replace("PutAllRows", "InsertAll")})
    assert look(pull) == []


def test_a_receiver_of_another_class_is_silent(repository: Repository) -> None:
    """A known type that is not the class has its own member."""
    app = APP.replace("b := open()", "b := &Other{}")
    files = {"a/store.go": STORE, "a/app.go": app}
    assert look(repository.change(files, {"a/store.go": STORE.replace("PutAllRows", "InsertAll")})) == []
