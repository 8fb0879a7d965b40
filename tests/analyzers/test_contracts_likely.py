"""A removed name that is still used but might come from a library is reported as a hint, not as proven."""

import json
from collections.abc import Mapping

import pytest
from contract_findings import causes, look
from fakes import Repository
from families import few

Files = Mapping[str, str]
OPEN = "\nvar open = openers[0]\n"  # the type that open() returns is unknown, and it is not from a library
STORE = f"package a\n\ntype Store struct{{}}\n\nfunc (s *Store) PutAllRows() {{}}\n{OPEN}"
APP = "package a\n\nfunc f() {\n\tb := open()\n\tb.PutAllRows()\n}\n"
MOD = {"go.mod": "module example.invalid/m\n"}
USERS = "class UserRepo:\n    def user_by_mail(self, mail):\n        return None\n"
USERS_JS = "export class UserRepo {\n  userByMail(mail) {\n    return null;\n  }\n}\n"
SERVICE = "from shop.users import UserRepo\n\n\ndef repo():\n    return UserRepo()\n"
LOGIN = "def login(client, mail):\n    return client.user_by_mail(mail)\n"


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
def test_member_of_an_untyped_receiver_is_a_hint(
    repository: Repository, before: Files, after: Files, told: tuple[str, int, str]
) -> None:
    """The only definition was removed or requires more arguments, so the call is reported as unproven."""
    found = look(repository.change(dict(before), dict(after)))
    assert [(one.path, one.start, one.rule, one.verdict) for one in found] == [(*told, "unproven")]


def test_name_used_in_very_many_files_is_not_reported(repository: Repository) -> None:
    """A name that very many files use probably belongs to a library, so nothing is reported."""
    users = {f"a/app{number}.go": APP.replace("f()", f"f{number}()") for number in range(15)}
    pull = repository.change({"a/store.go": STORE, **users}, {"a/store.go": STORE.replace("PutAllRows", "InsertAll")})
    assert look(pull) == []


def test_member_of_an_unrelated_class_is_not_reported(repository: Repository) -> None:
    """Nothing is reported if the receiver is known to have another class."""
    app = APP.replace("b := open()", "b := &Other{}")
    files = {"a/store.go": STORE, "a/app.go": app}
    assert look(repository.change(files, {"a/store.go": STORE.replace("PutAllRows", "InsertAll")})) == []


TIES = {
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
            "a/loader.go": f"package a\n\ntype PageLoader struct{{}}\n\nfunc (p *PageLoader) Fetch() {{}}\n{OPEN}",
            "a/app.go": "package a\n\nfunc f() {\n\tloader := open()\n\tloader.Fetch()\n}\n",
        },
        {"a/loader.go": f"package a\n\ntype PageLoader struct{{}}\n{OPEN}"},
        ("a/app.go", 5),
    ),
}


@pytest.mark.parametrize("tie", few(TIES, *range(0, len(TIES), 4)))
def test_reference_connected_to_a_removed_name_is_a_hint(repository: Repository, tie: str) -> None:
    """Each kind of connection to the removed name gives one unproven finding at the line that uses it."""
    before, after, place = TIES[tie]
    found = look(repository.change(dict(before), dict(after)))
    assert [(one.path, one.start, one.verdict) for one in found] == [(*place, "unproven")]


SIGHTS: Mapping[str, tuple[Files, Files, str]] = {
    "a folder of Python is no package": (
        {"shop/users.py": USERS, "shop/login.py": LOGIN},
        {"shop/users.py": "class UserRepo:\n    pass\n"},
        "unproven",
    ),
    "nor is one of JavaScript": (
        {
            "shop/users.js": USERS_JS,
            "shop/login.js": "export function login(client, mail) {\n  return client.userByMail(mail);\n}\n",
        },
        {"shop/users.js": "export class UserRepo {}\n"},
        "unproven",
    ),
    "a receiver that is called like the class is not known to be one": (
        {"shop/users.py": USERS, "shop/login.py": LOGIN.replace("client", "repo")},
        {"shop/users.py": "class UserRepo:\n    pass\n"},
        "unproven",
    ),
    "an import of a file that imports the class": (
        {"shop/users.py": USERS, "shop/service.py": SERVICE, "shop/login.py": f"from shop import service\n\n\n{LOGIN}"},
        {"shop/users.py": "class UserRepo:\n    pass\n"},
        "proven",
    ),
    "a package of Java": (
        {
            "a/UserRepo.java": "package a;\n\nclass UserRepo {\n  void userByMail() {}\n}\n",
            "a/Rows.java": "package a;\n\nclass Rows {\n  void forEach(Each each) {}\n}\n",
            "a/Login.java": "package a;\n\nclass Login {\n  void f(Rows rows) {\n    rows.forEach(one -> one.userByMail());\n  }\n}\n",
        },
        {"a/UserRepo.java": "package a;\n\nclass UserRepo {\n}\n"},
        "proven",
    ),
}


@pytest.mark.parametrize("sight", SIGHTS)
def test_removed_member_is_proven_broken_only_in_files_that_see_its_class(repository: Repository, sight: str) -> None:
    """A removed member is proven broken only in files that can see its class; elsewhere it is a hint."""
    before, after, verdict = SIGHTS[sight]
    assert [one.verdict for one in look(repository.change(dict(before), dict(after)))] == [verdict]


def test_member_of_a_library_typed_receiver_is_not_reported(repository: Repository) -> None:
    """Nothing is reported for a receiver whose declared type is not defined in the repository."""
    reply = "package a;\n\nclass Reply {\n  String getMessage() {\n    return null;\n  }\n}\n"
    app = "package a;\n\nclass App {\n  String f(IOException e) {\n    return e.getMessage();\n  }\n}\n"
    files = {"a/Reply.java": reply, "a/App.java": app}
    assert look(repository.change(files, {"a/Reply.java": "package a;\n\nclass Other {\n}\n"})) == []


def test_proven_and_unproven_references_to_one_definition_share_a_finding(repository: Repository) -> None:
    """A proven reference and an unproven one with the same cause are one finding."""
    proven = "package a\n\nfunc g(s *Store) {\n\ts.PutAllRows()\n}\n"
    before = {**MOD, "a/store.go": STORE, "a/app.go": APP, "a/sure.go": proven}
    (finding,) = causes(repository.change(before, {"a/store.go": f"package a\n\ntype Store struct{{}}\n{OPEN}"}))
    assert (finding.path, finding.verdict.value) == ("a/sure.go", "proven")
    assert [(item.path, item.note) for item in finding.evidence if item.side == "head"] == [
        ("a/app.go", "may use it too")
    ]


def test_property_that_a_method_still_assigns_is_not_proven_to_be_missing(repository: Repository) -> None:
    """PHP creates a property when a value is assigned to it, so removing its declaration proves nothing."""
    declared = (
        "<?php\nnamespace App;\nclass Order {\n  public $total;\n"
        "  function __construct($x) {\n    $this->total = $x;\n  }\n}\n"
    )
    user = "<?php\nnamespace App;\nfunction go(Order $order) {\n  return $order->total;\n}\n"
    loader = json.dumps({"autoload": {"psr-4": {"App\\": ""}}})
    before = {"composer.json": loader, "Order.php": declared, "Use.php": user}
    pull = repository.change(dict(before), {"Order.php": declared.replace("  public $total;\n", "")})
    assert not any(finding.proven for finding in look(pull))
