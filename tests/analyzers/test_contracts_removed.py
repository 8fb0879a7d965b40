from contract_findings import causes, look
from fakes import Repository


def test_removed_function_is_reported_at_its_caller(repository: Repository) -> None:
    """The finding quotes the calling line; the old definition and the import are its evidence."""
    before = {
        "shop/__init__.py": "",
        "shop/prices.py": "@cache\ndef with_tax(net):\n    return net * 1.2\n\n\ndef plain(net):\n    return net\n",
        "shop/cart.py": "from shop.prices import plain, with_tax\n\n\ndef total(nets):\n    return sum(with_tax(n) for n in nets)\n",
    }
    (finding,) = look(repository.change(before, {"shop/prices.py": "def plain(net):\n    return net\n"}))

    assert (finding.path, finding.start, finding.rule) == ("shop/cart.py", 5, "removed-symbol")
    assert (finding.severity, finding.category, finding.source) == ("high", "broken-caller", "contracts")
    assert finding.verdict == "proven"
    assert finding.quote == "    return sum(with_tax(n) for n in nets)"
    assert finding.title == "with_tax() was removed, but shop/cart.py still calls it"
    assert "shop/prices.py:2" in finding.why
    assert "shop/cart.py:5" in finding.why
    assert [(e.path, e.line, e.side, e.quote) for e in finding.evidence] == [
        ("shop/prices.py", 2, "base", "def with_tax(net):"),
        ("shop/cart.py", 1, "head", "from shop.prices import plain, with_tax"),
    ]


def test_renamed_function_is_reported_with_both_names(repository: Repository) -> None:
    """A removed function whose body reappears under another name is reported as renamed to it."""
    body = "(path):\n    text = open(path).read()\n    return text.split()\n"
    before = {"lib.py": f"def read_words{body}", "app.py": "import lib\n\nprint(lib.read_words('a'))\n"}
    (finding,) = look(repository.change(before, {"lib.py": f"def load_words{body}"}))

    assert finding.title == "read_words() was renamed to load_words, but app.py still calls the old name"
    assert [(e.side, e.quote) for e in finding.evidence] == [
        ("base", "def read_words(path):"),
        ("head", "def load_words(path):"),
    ]


def test_import_of_a_moved_function_from_its_old_module_is_reported(repository: Repository) -> None:
    """A moved function's old import is reported, unless the old module re-exports the function."""
    helper = "def helper(a):\n    b = a + 1\n    return b\n"
    before = {"old.py": f"{helper}\n\nX = 1\n", "new.py": "", "app.py": "from old import helper\n\nhelper(1)\n"}
    (finding,) = look(repository.change(before, {"old.py": "X = 1\n", "new.py": helper}))

    assert finding.title == "helper() was moved to new.py, but app.py still calls it"
    kept = look(repository.change(before, {"old.py": "from new import helper\n\nX = 1\n", "new.py": helper}))
    assert kept == []


def test_import_of_a_deleted_module_is_reported_once_per_importer(repository: Repository) -> None:
    """Importing a deleted file fails, whichever names are imported. A guarded import is not reported."""
    before = {
        "pkg/__init__.py": "",
        "pkg/gone.py": "def one():\n    pass\n\n\ndef two():\n    pass\n",
        "pkg/user.py": "from .gone import one, two\n\none()\ntwo()\n",
        "pkg/careful.py": "try:\n    from .gone import one\nexcept ImportError:\n    one = None\n",
    }
    before_line = "from .gone import one, two"
    (finding,) = look(repository.change(before, {"pkg/gone.py": None}))

    assert (finding.path, finding.start, finding.rule) == ("pkg/user.py", 3, "removed-module")
    assert finding.title == "pkg/gone.py was removed, but pkg/user.py still imports it"
    assert "pkg/user.py:1 still imports it and uses it at line 3" in finding.why
    assert [(e.line, e.quote) for e in finding.evidence if e.side == "head"] == [(4, "two()"), (1, before_line)]


def test_module_that_becomes_a_package_breaks_no_import(repository: Repository) -> None:
    """A module that becomes a package with the same exports breaks no import."""
    before = {"tools.py": "def cut():\n    pass\n", "app.py": "from tools import cut\n\ncut()\n"}
    after = {
        "tools.py": None,
        "tools/__init__.py": "from .cutting import cut\n",
        "tools/cutting.py": before["tools.py"],
    }

    assert look(repository.change(before, after)) == []


def test_removed_method_is_reported_where_its_receiver_is_known(repository: Repository) -> None:
    """A removed method is reported where the receiver's class is known, not where only the name matches."""
    before = {
        "loading.py": "class Loader:\n    def get(self):\n        return 1\n\n    def run(self):\n        return 2\n",
        "app.py": "import loading\n\n\ndef main():\n    loader = loading.Loader()\n    return loader.run()\n",
        "other.py": "def other(thing):\n    return thing.run()\n",
    }
    (finding,) = look(
        repository.change(before, {"loading.py": "class Loader:\n    def get(self):\n        return 1\n"})
    )

    assert (finding.path, finding.start) == ("app.py", 6)
    assert finding.title == "Loader.run() was removed, but app.py still calls it"


def test_import_of_an_unchanged_moved_file_from_its_old_path_is_reported(repository: Repository) -> None:
    """Importers of a renamed file are reported, although a pure rename has no changed lines."""
    base = repository.commit({"lib/words.py": "def f(): ...\n", "app.py": "from lib.words import f\n\nf()\n"})
    repository.git("mv", "lib/words.py", "lib/terms.py")
    (finding,) = look(repository.pull(base, repository.commit({})))

    assert (finding.path, finding.rule) == ("app.py", "removed-module")
    assert finding.title == "lib/words.py was moved to lib/terms.py, but app.py still imports it"
    assert finding.why.startswith(
        "This change moves lib/words.py to lib/terms.py; app.py:1 still imports it from the old path"
    )


def test_broken_callers_of_one_definition_give_one_finding(repository: Repository) -> None:
    """Nine forgotten callers give one finding, at a caller outside the tests; it lists the others."""
    callers = {
        f"shop/m{n}.py": f"from shop.money import cents\n\n\ndef total{n}(a):\n    return cents(a)\n" for n in range(8)
    }
    callers["tests/test_money.py"] = "from shop.money import cents\n\n\ndef test_it():\n    assert cents(1)\n"
    pull = repository.change(
        {"shop/money.py": "def cents(a):\n    return a\n", **callers},
        {"shop/money.py": "def to_cents(a):\n    return a\n"},
    )
    (found,) = causes(pull)
    broken = {found.path, *(item.path for item in found.evidence if item.is_broken)}
    assert broken == set(callers)
    assert (found.path, found.start, found.title.endswith("(and 8 more files)")) == ("shop/m0.py", 5, True)
    assert (
        found.consequence
        == "The import in shop/m0.py, line 1, raises ImportError when it runs. In total, 18 lines in 9 files use the old definition."
    )
