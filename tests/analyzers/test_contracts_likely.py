"""What is gone and still named, if a library could offer it too: a hint, never a fact."""

from collections.abc import Mapping

import pytest
from contract_findings import causes, look
from fakes import Repository
from families import few

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


TIES = {
    "a receiver of another class of the tree": (
        {
            "src/Store.cs": "public static class Tools { public static int CountRows(this Log l) { return 1; } }\n",
            "src/Log.cs": "public class Log { }\n",
            "app/App.cs": "class App {\n  int F(Log log) {\n    Tools.X();\n    return log.CountRows();\n  }\n}\n",
        },
        {"src/Store.cs": "public static class Tools { }\n"},
        ("app/App.cs", 4),
    ),
    "a condition of the preprocessor": (
        {
            "a.h": "class Store {\n public:\n  int count_rows();\n};\n",
            "b.cc": '#include "a.h"\n#ifdef X\nint f(Store* s) {\n  return s->count_rows();\n}\n#endif\n',
        },
        {"a.h": "class Store {\n public:\n};\n"},
        ("b.cc", 4),
    ),
    "a macro": (
        {
            "src/lib.rs": "mod app;\n#[macro_export]\nmacro_rules! try_rows { ($e:expr) => ($e) }\n",
            "src/app.rs": "fn f() {\n    try_rows!(1);\n}\n",
        },
        {"src/lib.rs": "mod app;\n"},
        ("src/app.rs", 2),
    ),
    "a helper of tests": (
        {
            "test/helper.rb": "module Helper\n  def skip_on_clouds\n  end\nend\n",
            "test/test_app.rb": "class TestApp\n  include Helper\n  def test_it\n    skip_on_clouds\n  end\nend\n",
        },
        {"test/helper.rb": "module Helper\nend\n"},
        ("test/test_app.rb", 4),
    ),
    "a short name of a receiver that is called like the class": (
        {
            "a/loader.go": "package a\n\ntype PageLoader struct{}\n\nfunc (p *PageLoader) Fetch() {}\n",
            "a/app.go": "package a\n\nfunc f() {\n\tloader := open()\n\tloader.Fetch()\n}\n",
        },
        {"a/loader.go": "package a\n\ntype PageLoader struct{}\n"},
        ("a/app.go", 5),
    ),
}


@pytest.mark.parametrize("tie", few(TIES, *range(0, len(TIES), 4)))
def test_what_ties_a_use_to_what_is_gone_makes_it_a_hint(repository: Repository, tie: str) -> None:
    """One hint, at the line that uses the name."""
    before, after, place = TIES[tie]
    found = look(repository.change(dict(before), dict(after)))
    assert [(one.path, one.start, one.verdict) for one in found] == [(*place, "unproven")]


def test_a_name_that_files_without_a_tie_use_as_well_is_silent(repository: Repository) -> None:
    """They mean a library's member: so may the file beside the definition."""
    far = 'package z\n\nimport "fmt"\n\nfunc g() {\n\tb := fmt.Open()\n\tb.close().PutAllRows()\n}\n'
    files = MOD | {"a/store.go": STORE, "a/app.go": APP, "z/far.go": far}
    assert look(repository.change(files, {"a/store.go": STORE.replace("PutAllRows", "InsertAll")})) == []


def test_a_member_of_a_removed_class_on_a_receiver_of_a_library_is_silent(repository: Repository) -> None:
    """Its class is written there, and the tree does not define it."""
    reply = "package a;\n\nclass Reply {\n  String getMessage() {\n    return null;\n  }\n}\n"
    app = "package a;\n\nclass App {\n  String f(IOException e) {\n    return e.getMessage();\n  }\n}\n"
    files = {"a/Reply.java": reply, "a/App.java": app}
    assert look(repository.change(files, {"a/Reply.java": "package a;\n\nclass Other {\n}\n"})) == []


def test_a_hint_is_told_with_what_is_proven_of_the_same_definition(repository: Repository) -> None:
    """One cause is one finding: the use that nobody can be sure of is listed, as such."""
    proven = "package a\n\nfunc g(s *Store) {\n\ts.PutAllRows()\n}\n"
    before = {**MOD, "a/store.go": STORE, "a/app.go": APP, "a/sure.go": proven}
    (finding,) = causes(repository.change(before, {"a/store.go": "package a\n\ntype Store struct{}\n"}))
    assert (finding.path, finding.verdict.value) == ("a/sure.go", "proven")
    assert [(item.path, item.note) for item in finding.evidence if item.side == "head"] == [
        ("a/app.go", "may use it too")
    ]
