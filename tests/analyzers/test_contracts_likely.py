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


RUBY = "module Limits\n  MOST_ROWS = 5\n  def count_rows(a)\n    a\n  end\nend\n"
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
    "an import that names the folder and does not resolve": (
        MOD
        | {
            "lib/render/html.go": "package render\n\nfunc DrawPage() {}\n",
            "app/app.go": 'package app\n\nimport "old.invalid/lib/render"\n\nfunc f() {\n\trender.DrawPage()\n}\n',
        },
        {"lib/render/html.go": "package render\n"},
        ("app/app.go", 6),
    ),
    "a condition of the preprocessor": (
        {
            "a.h": "class Store {\n public:\n  int count_rows();\n};\n",
            "b.cc": '#include "a.h"\n#ifdef X\nint f(Store* s) {\n  return s->count_rows();\n}\n#endif\n',
        },
        {"a.h": "class Store {\n public:\n};\n"},
        ("b.cc", 4),
    ),
    "a constant of an included module": (
        {"lib/limits.rb": RUBY, "lib/app.rb": "class App\n  include Limits\n  def go\n    MOST_ROWS + 1\n  end\nend\n"},
        {"lib/limits.rb": RUBY.replace("  MOST_ROWS = 5\n", "")},
        ("lib/app.rb", 4),
    ),
    "a method of an included module": (
        {"lib/limits.rb": RUBY, "app/app.rb": "class App\n  include Limits\n  def go\n    count_rows(1)\n  end\nend\n"},
        {"lib/limits.rb": RUBY.replace("count_rows", "count_all")},
        ("app/app.rb", 4),
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


def test_a_removed_override_is_silent_while_its_base_has_the_method(repository: Repository) -> None:
    """The base's signature changed in the same commit: its name is still there."""
    base = "class Base:\n    def load_rows(self, a):\n        return a\n"
    below = "from base import Base\n\n\nclass Below(Base):\n    def load_rows(self, a):\n        return a\n"
    app = "from below import Below\n\n\ndef f(below):\n    return below.load_rows(1)\n"
    files = {"base.py": base, "below.py": below, "app.py": app}
    changed = {
        "base.py": base.replace("self, a", "self, a, b=0"),
        "below.py": "from base import Base\n\n\nclass Below(Base):\n    pass\n",
    }
    assert look(repository.change(files, changed)) == []


def test_a_member_of_a_removed_class_on_a_receiver_of_a_library_is_silent(repository: Repository) -> None:
    """Its class is written there, and the tree does not define it."""
    reply = "package a;\n\nclass Reply {\n  String getMessage() {\n    return null;\n  }\n}\n"
    app = "package a;\n\nclass App {\n  String f(IOException e) {\n    return e.getMessage();\n  }\n}\n"
    files = {"a/Reply.java": reply, "a/App.java": app}
    assert look(repository.change(files, {"a/Reply.java": "package a;\n\nclass Other {\n}\n"})) == []


EMBEDS = 'package b\n\nimport "lib.invalid/tables"\n\ntype Printer struct {\n\ttables.Printer\n\tcolor bool\n}\n'
CALLS = 'package c\n\nimport "example.invalid/m/b"\n\nfunc f(p b.Printer) {\n\tp.PutAllRows()\n}\n'


STORED = MOD | {"c/store.go": STORE.replace("package a", "package c")}
MADE = 'package c\n\nimport "PACKAGE"\n\nfunc f() {\n\tp := b.New(1, "(")\n\tp.PutAllRows()\n}\n'
MODULE = "example.invalid/m/b"
LENT = 'package b\n\nimport "lib.invalid/tables"\n\nfunc New(of int, open func(a int) string) *tables.Printer { return nil }\n'
ABOVE = 'package b\n\nimport "example.invalid/m/d"\n\n'
OWN = "package b\n\ntype Printer struct{}\n\nfunc New(of int, name string) *Printer { return nil }\n"


@pytest.mark.parametrize(
    ("files", "hints"),
    [
        ({"c/app.go": MADE.replace("PACKAGE", "lib.invalid/far/b")}, 0),
        ({"c/app.go": MADE.replace("PACKAGE", "b")}, 0),
        ({"b/new.go": OWN}, 1),
        ({"b/new.go": OWN, "b/lent.go": LENT.replace("New", "Other")}, 1),
        ({"c/app.go": MADE.replace("b.New", "b.x.New").replace("PACKAGE", MODULE), "b/new.go": OWN}, 1),
        ({"c/app.go": MADE.replace("b.New", "open").replace("PACKAGE", MODULE), "b/new.go": LENT}, 1),
    ],
)
def test_what_a_receiver_comes_from_tells_whether_a_library_may_have_the_method(
    repository: Repository, files: Files, hints: int
) -> None:
    """A package from outside may; a function of the tree promises nothing."""
    before = STORED | {"c/app.go": MADE.replace("PACKAGE", MODULE)} | dict(files)
    found = look(repository.change(before, {"c/store.go": STORED["c/store.go"].replace("PutAllRows", "InsertAll")}))
    assert len(found) == hints, found


def test_a_function_that_loses_one_of_its_clauses_is_not_gone(repository: Repository) -> None:
    """Another clause of the same name is left, and takes as many arguments."""
    other = "defmodule Shop.Error do\n  defexception [:message]\nend\n\n"
    left = "  def read_header(rows) when is_list(rows), do: rows\n"
    before = {
        "lib/shop.ex": f"{other}defmodule Shop do\n  def read_header(rows) when is_map(rows), do: rows\n{left}end\n",
        "lib/shop/cart.ex": "defmodule Shop.Cart do\n  def run(rows), do: Shop.read_header(rows)\nend\n",
    }

    assert look(repository.change(before, {"lib/shop.ex": f"{other}defmodule Shop do\n{left}end\n"})) == []


def test_a_hint_is_told_with_what_is_proven_of_the_same_definition(repository: Repository) -> None:
    """One cause is one finding: the use that nobody can be sure of is listed, as such."""
    proven = "package a\n\nfunc g(s *Store) {\n\ts.PutAllRows()\n}\n"
    before = {**MOD, "a/store.go": STORE, "a/app.go": APP, "a/sure.go": proven}
    (finding,) = causes(repository.change(before, {"a/store.go": "package a\n\ntype Store struct{}\n"}))
    assert (finding.path, finding.verdict.value) == ("a/sure.go", "proven")
    assert [(item.path, item.note) for item in finding.evidence if item.side == "head"] == [
        ("a/app.go", "may use it too")
    ]
