import pytest
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
    assert [(e.line, e.quote) for e in finding.evidence if e.side == "head"] == [(1, before_line), (4, "two()")]


def test_module_that_becomes_a_package_breaks_no_import(repository: Repository) -> None:
    """A module that becomes a package with the same exports breaks no import."""
    before = {"tools.py": "def cut():\n    pass\n", "app.py": "from tools import cut\n\ncut()\n"}
    after = {
        "tools.py": None,
        "tools/__init__.py": "from .cutting import cut\n",
        "tools/cutting.py": before["tools.py"],
    }

    assert look(repository.change(before, after)) == []


def test_name_no_longer_reexported_by_an_index_file_is_reported(repository: Repository) -> None:
    """An importer breaks if an index file no longer re-exports a function that still exists."""
    before = {
        "src/index.ts": "export { cut, join } from './words';\n",
        "src/words.ts": "export function cut() {}\nexport function join() {}\n",
        "app.ts": "import { join } from './src';\n\njoin();\n",
    }
    (finding,) = look(repository.change(before, {"src/index.ts": "export { cut } from './words';\n"}))

    assert (finding.path, finding.start, finding.rule) == ("app.ts", 3, "removed-symbol")
    assert finding.title == "join was removed, but app.ts still calls it"
    assert [(e.path, e.line, e.side) for e in finding.evidence][:1] == [("src/index.ts", 1, "base")]


def test_removed_commonjs_export_is_reported_at_its_call(repository: Repository) -> None:
    """A removed key of `module.exports` is reported where `required.key()` is called."""
    before = {
        "lib/ast.js": "module.exports = {\n    first(node) { return node; },\n    last(node) { return node; }\n};\n",
        "lib/rule.js": "const astUtils = require('./ast');\n\nmodule.exports = node => astUtils.last(node);\n",
    }
    after = {"lib/ast.js": "module.exports = {\n    first(node) { return node; }\n};\n"}
    (finding,) = look(repository.change(before, after))

    assert (finding.path, finding.start) == ("lib/rule.js", 3)


@pytest.mark.parametrize("whole", ["fastify", "fp(fastify)", "Object.freeze({ fastify })", "{ ...other, fastify }"])
def test_removed_local_function_is_reported_in_its_own_file(repository: Repository, whole: str) -> None:
    """A removed function that the same file still calls is reported, whatever the file exports."""
    before = f"function check (x) {{ return x }}\n\nfunction fastify (x) {{\n  return check(x)\n}}\nmodule.exports = {whole}\n"
    after = before.replace("function check", "function checked")
    (finding,) = look(repository.change({"fastify.js": before}, {"fastify.js": after}))

    assert (finding.path, finding.start) == ("fastify.js", 4)


@pytest.mark.parametrize(
    ("mock", "is_missed"),
    [
        ("vi.mock('./toast', () => ({ toast: 1 }))", False),
        ("vi.mock('./toast', { spy: true })", True),
        ("vi.mock('./toast')", True),
        ("vi.mock('./toast', async (importOriginal) => ({ ...(await importOriginal()), toast: 1 }))", True),
        ("mock.module('./toast', () => ({ toast: 1 }))", False),
        ("t.mock.module('./toast', { namedExports: { toast: 1 } })", True),
        ("jest.mock('./toast', () => ({ toast: 1 }))", True),
        ("jest.mock('./toast', () => ({ toast: 1 }), { virtual: true })", False),
    ],
)
def test_mock_of_a_deleted_module_is_reported_if_the_runner_needs_the_file(
    repository: Repository, mock: str, *, is_missed: bool
) -> None:
    """A mock of a deleted file breaks, except for Vitest factories and virtual mocks in Jest."""
    before = {"toast.ts": "export function toast () { return 1 }\n", "toast.test.ts": f"{mock};\n"}
    found = look(repository.change(before, {"toast.ts": None}))

    assert [(one.path, one.start) for one in found] == ([("toast.test.ts", 1)] if is_missed else [])


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


def test_finding_in_a_test_file_has_medium_severity(repository: Repository) -> None:
    """Findings in test files have medium severity."""
    before = {
        "lib.py": "def f():\n    pass\n\n\ndef g():\n    pass\n",
        "tests/test_lib.py": "from lib import f\n\nf()\n",
    }
    (finding,) = look(repository.change(before, {"lib.py": "def g():\n    pass\n"}))

    assert (finding.path, finding.severity) == ("tests/test_lib.py", "medium")


def test_call_left_in_the_defining_file_is_reported(repository: Repository) -> None:
    """A call in the file that defined the removed function is reported."""
    before = {"lib.js": "function first() {}\n\nfunction second() {\n  return first();\n}\n\nexport { second };\n"}
    after = {"lib.js": "function second() {\n  return first();\n}\n\nexport { second };\n"}
    (finding,) = look(repository.change(before, after))

    assert (finding.path, finding.start) == ("lib.js", 2)


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
