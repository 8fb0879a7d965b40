"""Errors that a change causes in files it does not touch, as found by the real ty and tsc."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest
import step
from fakes import Repository

from bot.analyzers.checks.ty import Ty
from bot.analyzers.type_checkers.checker import TypeChecker
from bot.analyzers.type_checkers.diagnostics import Diagnostic
from bot.analyzers.type_checkers.layout import Sources
from bot.checkout import Checkout
from bot.findings.merge import merge_checker_errors
from bot.findings.quotes import check_quotes
from bot.machine.fact_files import keep_facts
from bot.review.analyzer_worker import AnalyzerWorker, load_analyzer
from bot.values import Coverage, Finding, Judgement, PullRequest, Side, Verdict
from deeprepo.impact import uses

Files = dict[str, str | bytes | None]
TSC = load_analyzer("tsc")
needs_tsc = pytest.mark.skipif(
    isinstance(TSC, TypeChecker) and TSC.program() is None,
    reason="the extra `types` has no program for this machine",
)


def judge(pull: PullRequest, name: str) -> Judgement:
    """Return a type checker's result for a change, after checking that its quotes match the files."""

    async def run(tree: Checkout, files: step.Files) -> Judgement:
        checker = load_analyzer(name)
        dependents = await uses.find(tree, files)
        judgement = await checker.check(tree, [file for file in files if checker.wants(file)], dependents)
        assert all([isinstance(await check_quotes(finding, tree), Finding) for finding in judgement.findings])
        return judgement

    return step.over(pull, run)


def places(pull: PullRequest, name: str) -> list[tuple[str, int, str]]:
    """Return the path, line and rule of each error that the change causes elsewhere."""
    judgement = judge(pull, name)
    assert judgement.not_run == ""
    return [(item.path, item.line, finding.rule) for finding in judgement.findings for item in finding.places]


ENV: Files = {
    "src/env.ts": "export class Env {\n  OLD = 'a';\n  KEPT = 1;\n}\nexport const env = new Env();\n",
    "src/mail.ts": "import { env } from './env';\nexport const from = env.OLD;\nexport const kept = env.KEPT;\n",
}
TYPE = "/** @returns {{%s: number}} */\nexport function load() {\n  return JSON.parse('{}');\n}\n"
USE = "import { load } from './a.js';\nconsole.log(load().two);\n"
# checker, files before the change, changed files, expected errors
BROKEN: dict[str, tuple[str, Files, Files, list[tuple[str, int, str]]]] = {
    "Python: a member": (
        "ty",
        {"a.py": "class A:\n    def go(self): ...\nclass B(A): ...\n", "u.py": "from a import B\n\nB().go()\n"},
        {"a.py": "class A:\n    def run(self): ...\nclass B(A): ...\n"},
        [("u.py", 3, "missing-attribute")],
    ),
    "Python: a result of another type": (
        "ty",
        {"a.py": "def f() -> dict[str, int]:\n    return {}\n", "u.py": "from a import f\n\nfor k, v in f().items():\n    print(k)\n"},
        {"a.py": "def f() -> list[tuple[str, int]]:\n    return []\n"},
        [("u.py", 3, "missing-attribute")],
    ),
    "Python: a result of a type that the change brings in": (
        "ty",
        {"a.py": "class Box:\n    weight = 1\nclass Crate:\n    size = 1\ndef make() -> Box:\n    return Box()\n", "u.py": "from a import make\n\nbox = make()\nprint(box.weight)\n"},
        {"a.py": "class Box:\n    weight = 1\nclass Crate:\n    size = 1\ndef make() -> Crate:\n    return Crate()\n"},
        [("u.py", 4, "missing-attribute")],
    ),
    "Python: a member of a type that the change brings in": (
        "ty",
        {"a.py": "class Box:\n    weight = 1\nclass Crate:\n    size = 1\nclass Shop:\n    def __init__(self):\n        self.box = Box()\n", "u.py": "from a import Shop\n\nbox = Shop().box\nprint(box.weight)\n"},
        {"a.py": "class Box:\n    weight = 1\nclass Crate:\n    size = 1\nclass Shop:\n    def __init__(self):\n        self.box = Crate()\n"},
        [("u.py", 4, "missing-attribute")],
    ),
    "TypeScript: a constructor that the change brings in": (
        "tsc",
        {"a.ts": "export class Box { weight = 1 }\nexport class Crate { size = 1 }\nexport const make = () => new Box();\n", "u.ts": "import { make } from './a';\nconst box = make();\nconsole.log(box.weight);\n"},
        {"a.ts": "export class Box { weight = 1 }\nexport class Crate { size = 1 }\nexport const make = () => new Crate();\n"},
        [("u.ts", 3, "TS2339")],
    ),
    "Python: a module below src": (
        "ty",
        {"pyproject.toml": "[project]\nname='p'\n", "src/p/__init__.py": "", "src/p/a.py": "def f(a): ...\n", "src/p/u.py": "from p.a import f\n\nf(1)\n"},
        {"src/p/a.py": "def f(): ...\n"},
        [("src/p/u.py", 3, "too-many-positional-arguments")],
    ),
    "Python: calls over several lines": (
        "ty",
        {"a.py": "def f(a, b): ...\nclass A:\n    def g(self, a) -> 'A': return self\n", "u.py": "from a import A, f\n\nf(\n    1,\n    2,\n)\n(\n    A()\n    .g(1)\n    .g(a=2)\n)\n"},
        {"a.py": "def f(a): ...\nclass A:\n    def g(self) -> 'A': return self\n"},
        [("u.py", 5, "too-many-positional-arguments"), ("u.py", 9, "too-many-positional-arguments"), ("u.py", 10, "unknown-argument")],
    ),
    "TypeScript: calls over several lines": (
        "tsc",
        {"a.ts": "export class A { g<T>(a: T) { return this; } }\nexport const f = (a: number, b: number) => a + b;\n", "u.ts": "import { A, f } from './a';\nf(\n  1,\n  2,\n);\nnew A()\n  .g<number>(1)\n  ?.g([\n    2,\n  ]);\n"},
        {"a.ts": "export class A { g<T>(a: T, b: T) { return this; } }\nexport const f = (a: number) => a;\n"},
        [("u.ts", 7, "TS2554"), ("u.ts", 8, "TS2554")],
    ),
    "TypeScript: a member": ("tsc", ENV, {"src/env.ts": str(ENV["src/env.ts"]).replace("OLD", "NEW")}, [("src/mail.ts", 2, "TS2339")]),
    "TypeScript: a field of a type": (
        "tsc",
        {"s.ts": "export interface S { quiet: boolean }\nexport const load = <T>(x: T): T => x;\n", "v.ts": "import { load, S } from './s';\nlet s: S | null = null;\nexport const f = () => load(s)?.quiet;\n"},
        {"s.ts": "export interface S { loud: boolean }\nexport const load = <T>(x: T): T => x;\n"},
        [("v.ts", 3, "TS2339")],
    ),
    "TypeScript: an import by baseUrl": (
        "tsc",
        {"tsconfig.json": '{"compilerOptions": {"baseUrl": "."}}', "lib/auth.ts": "export const may = (a: string, b: string) => a + b;\n", "pages/sites.ts": "import { may } from 'lib/auth';\nexport default may('a', 'b');\n"},
        {"lib/auth.ts": "export const may = (a: string) => a;\n"},
        [("pages/sites.ts", 2, "TS2554")],
    ),
    "TypeScript: an alias of a configuration with comments": (
        "tsc",
        {"web/tsconfig.json": '{"extends": "./tsconfig.base.json", // more\n}', "web/tsconfig.base.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"],}}}', "web/src/a.ts": "export const one = 1, two = 2;\n", "web/src/b.ts": "import { one, two } from '@/a';\nexport default one + two;\n"},
        {"web/src/a.ts": "export const one = 1;\n"},
        [("web/src/b.ts", 1, "TS2305")],
    ),
    "TypeScript: a package of the workspace": (
        "tsc",
        {"package.json": '{"workspaces": ["packages/*"]}', "packages/core/package.json": '{"name": "@acme/core", "main": "dist/index.js"}', "packages/core/src/index.ts": "export const sum = (a: number) => a;\n", "packages/web/package.json": '{"name": "web"}', "packages/web/src/u.ts": "import { sum } from '@acme/core';\nsum(1);\n"},
        {"packages/core/src/index.ts": "export const sum = (a: number, b: number) => a + b;\n"},
        [("packages/web/src/u.ts", 2, "TS2554")],
    ),
    "TypeScript: an unedited line of an edited file": (
        "tsc",
        {"a.ts": "export const one = 1, two = 2;\n", "b.ts": "import { one, two } from './a';\nconsole.log(one, two);\n"},
        {"a.ts": "export const one = 1;\n", "b.ts": "import { one, two } from './a';\nconsole.log(one, two, 3);\n"},
        [("b.ts", 1, "TS2305")],
    ),
    "Python: an unedited line of an edited and renamed file": (
        "ty",
        {"a.py": "class A:\n    def old(self): ...\n\n\nclass B:\n    x = 1\n    y = 2\n\n\nA().old()\nprint(B().x)\n"},
        {"a.py": None, "b.py": "class A:\n    def new(self): ...\n    def newer(self): ...\n\n\nclass B:\n    x = 1\n    y = 2\n\n\nA().old()\nprint(B().x)\n"},
        [("b.py", 11, "missing-attribute")],
    ),
    "JavaScript: an export": (
        "tsc",
        {"a.js": "export const one = 1, two = 2;\n", "b.js": "import { one, two } from './a.js';\nconsole.log(one, two);\n"},
        {"a.js": "export const one = 1;\n"},
        [("b.js", 1, "TS2305")],
    ),
    "TypeScript: beside a package that exports a reserved word": (
        "tsc",
        ENV | {"src/z.ts": "import * as z from 'zod';\nimport { env } from './env';\nexport const s = z.enum([env.OLD]), n = z.null();\n"},
        {"src/env.ts": "export class Env {\n  KEPT = 1;\n}\nexport const env = new Env();\n"},
        [("src/mail.ts", 2, "TS2339"), ("src/z.ts", 3, "TS2339")],
    ),
}  # fmt: skip


@needs_tsc
@pytest.mark.parametrize("name", BROKEN)
def test_error_on_an_unchanged_line_is_proven(repository: Repository, name: str) -> None:
    """The finding is on the unchanged line that the checker rejects, and only there."""
    checker, files, change, expected = BROKEN[name]
    assert places(repository.change(files, change), checker) == expected


ROW: Files = {
    "row.ts": "export class Base { save() {} }\nexport class Row extends Base {}\n",
    "use.ts": "import { Row } from './row';\nnew Row().save();\n",
}
# checker, files before the change, changed files that cause no provable error
SILENT: dict[str, tuple[str, Files, Files]] = {
    "Python: a class of a module that did not resolve before": (
        "ty",
        {"a.py": "from c import A\n", "u.py": "from a import A\n\nA().old(1)\nA().new(\n    1,\n    2,\n)\n"},
        {"a.py": "from b import A\n", "b.py": "class A:\n    def new(self): ...\n"},
    ),
    "Python: a result that had no annotation before": (
        "ty",
        {"a.py": "def f(x):\n    return x\n", "u.py": "from a import f\n\nf(1).old()\nfor x in f(1):\n    print(x)\n"},
        {"a.py": "def f(x) -> int:\n    return x\n"},
    ),
    "TypeScript: an interface that is now built on a type of a missing package": (
        "tsc",
        {"a.ts": "export interface Got { (url: string): void }\nexport const got: Got = null;\n", "u.ts": "import { got } from './a';\ngot('x');\n"},
        {"a.ts": "import { Merge } from 'type-fest';\ninterface Calls { (url: string): void }\nexport interface Got extends Merge<{ a: 1 }, Calls> { b: 2 }\nexport const got: Got = undefined;\n"},
    ),
    "TypeScript: a class of a module that did not resolve before": (
        "tsc",
        {"a.ts": "import { A } from './c';\nexport const a = new A();\n", "u.ts": "import { a } from './a';\na.old(1);\na.new<number>(\n  1,\n  2,\n);\na.new();\n"},
        {"a.ts": "import { A } from './b';\nexport const a = new A();\n", "b.ts": "export class A {\n  new<T>(x: T) { return x; }\n}\n"},
    ),
    "JavaScript: a type that only a comment declares": (
        "tsc",
        {"a.js": "export function spy() {\n  const f = () => 1;\n  f.called = true;\n  return f;\n}\n", "b.js": "import { spy } from './a.js';\nconsole.log(spy().called);\n"},
        {"a.js": "/**\n * @callback Plain\n * @returns {number}\n */\n\n/** @returns {Plain} */\nexport function spy() {\n  const f = () => 1;\n  f.called = true;\n  return f;\n}\n"},
    ),
    "JavaScript: a type that a comment of several lines declares": (
        "tsc",
        {"a.js": "export function spy() {\n  const f = () => 1;\n  f.called = true;\n  return f;\n}\n", "b.js": "import { spy } from './a.js';\nconsole.log(spy().called);\n"},
        {"a.js": "/**\n * @typedef {{\n *   length: number\n * }} Plain\n */\n\n/** @returns {Plain} */\nexport function spy() {\n  const f = () => 1;\n  f.called = true;\n  return f;\n}\n"},
    ),
    "JavaScript: a type in a comment that nothing checks": ("tsc", {"a.js": TYPE % "two", "b.js": USE}, {"a.js": TYPE % "one"}),
    "JavaScript: a declaration file beside it that now lacks a name": (
        "tsc",
        {"a.js": "export const one = 1, two = 2;\n", "a.d.ts": "export const one: number, two: number;\n", "b.js": "import { one, two } from './a.js';\nconsole.log(one, two);\n"},
        {"a.d.ts": "export const one: number;\n"},
    ),
    "JavaScript: a type in a comment": (
        "tsc",
        {"a.js": "/** @param {string|number} id */\nexport function find(id) { return id; }\n", "b.js": "import { find } from './a.js';\nfind(1);\n"},
        {"a.js": "/** @param {string} id */\nexport function find(id) { return id; }\n"},
    ),
    "a standing error whose words change with a type": (
        "tsc",
        {"op.ts": "export type Op = 'a';\n", "view.ts": "import { Op } from './op';\ndeclare const f: (p: { op: Op }) => void;\nexport const x = (op: Op) => f({ op, no: 1 });\n"},
        {"op.ts": "export type Op = 'a' | 'b';\n"},
    ),
    "a component that is now a class of a package": (
        "tsc",
        {
            "catch.tsx": "import * as React from 'react';\nexport function Catch(props: { on: (error: Error) => void }) { return null; }\n",
            "use.tsx": "import { Catch } from './catch';\ndeclare function isLost(a: any): a is { lost: boolean };\ndeclare function tell(error: Error): void;\nexport const a = <Catch on={(error) => { if (isLost(error)) { tell(error); } }} />;\n",
        },
        {"catch.tsx": "import * as React from 'react';\nexport class Catch extends React.Component<{ on: (error: Error) => void }> {}\n"},
    ),
    "a base that comes from a package now": ("tsc", ROW, {"row.ts": "import { Base } from 'orm';\nexport class Row extends Base {}\n"}),
    "a member of a class that is typed by its static side": (
        "tsc",
        {"row.ts": "export class Base { static create() {} }\nexport class Row extends Base {}\n", "use.ts": "import { Row } from './row';\nRow.create();\n"},
        {"row.ts": "import { Base } from 'orm';\nclass Own<A> extends Base<A> {}\nexport class Row extends Own<any> {}\n"},
    ),
    "an error on a line that the change edits": (
        "tsc",
        {"a.ts": "export const one = 1, two = 2;\n", "b.ts": "import { one, two } from './a';\nconsole.log(one, two);\n"},
        {"a.ts": "export const one = 1;\n", "b.ts": "import { one, two } from './a'; // both\nconsole.log(one, two, 3);\n"},
    ),
    "an older error on an unedited line of an edited file": (
        "ty",
        {"a.py": "def f(a): ...\n\n\nf(1, 2)\n"},
        {"a.py": "def f(a):\n    print(a)\n\n\nf(1, 2)\n"},
    ),
    "an unedited line of an edited file whose type was not known before": (
        "ty",
        {"a.py": "def f(a):\n    return a\n\n\nf(1).old()\n"},
        {"a.py": "def f(a) -> int:\n    return a + 1\n\n\nf(1).old()\n"},
    ),
    "an error that names nothing that the change altered": (
        "ty",
        {"a.py": "def f(): ...\ndef g() -> int:\n    return 1\n", "b.py": "from a import g\n\nx = g()\n", "u.py": "from a import f\nfrom b import x\n\nx.strip(f())\n"},
        {"a.py": "def f() -> int:\n    return 2\ndef g() -> int:\n    return 1\n"},
    ),
    "a line with a comment for type checkers": (
        "ty",
        {"a.py": "def f(a: int) -> None: ...\n", "u.py": "from a import f\n\nf(1)  # type: ignore[call-arg]\n"},
        {"a.py": "def f(a: int, b: int) -> None: ...\n"},
    ),
    "a package that nobody has installed here": (
        "ty",
        {"a.py": "def f(a: int) -> None: ...\n", "u.py": "import yaml\nfrom a import f\n\nyaml.load('')\nf(1)\n"},
        {"a.py": "def f(a: int, b: int = 2) -> None:\n    return print(b)\n"},
    ),
}  # fmt: skip


@needs_tsc
@pytest.mark.parametrize("name", SILENT)
def test_error_that_the_change_may_not_have_caused_is_not_reported(repository: Repository, name: str) -> None:
    """Checker errors that the change may not have caused are not reported."""
    checker, files, change = SILENT[name]
    assert places(repository.change(files, change), checker) == []


def test_repository_settings_cannot_silence_ty(repository: Repository) -> None:
    """Settings in the base, the change or the repository's virtual environment have no effect."""
    silent = "[tool.ty.rules]\nall = 'ignore'\n[tool.ty.environment]\npython = './venv'\n"
    files: Files = {"pyproject.toml": silent, "ty.toml": "[rules]\nall = 'ignore'\n", ".ignore": "*.py\n"}
    _, tree, change, expected = BROKEN["Python: a member"]
    assert (
        places(repository.change({**files, **tree}, {**change, "ty.toml": "[src]\nexclude = ['*']\n"}), "ty")
        == expected
    )


@needs_tsc
def test_repository_settings_cannot_silence_tsc(repository: Repository) -> None:
    """Skip options, plug-ins, references and outside configurations have no effect."""
    options = '{"noCheck": true, "skipDefaultLibCheck": true, "plugins": [{"name": "./evil"}], "types": ["../../x"]}'
    table = f'{{"extends": ["/etc/x.json", "../../y.json"], "compilerOptions": {options}, "exclude": ["**/*"], "references": [{{"path": "/"}}]}}'
    assert places(
        repository.change(
            {**ENV, "tsconfig.json": table}, {"src/env.ts": str(ENV["src/env.ts"]).replace("OLD", "NEW")}
        ),
        "tsc",
    ) == [("src/mail.ts", 2, "TS2339")]


CRATE = {
    "lib.py": "class Box:\n    weight = 2\n\n\ndef make() -> Box:\n    return Box()\n",
    "lib.ts": "export class Box { weight = 2; }\nexport const make = () => new Box();\n",
}
BOXES: Files = {
    **CRATE,
    "use.py": "from lib import make\n\nprint(make().weight)\n",
    "use.ts": "import { make } from './lib';\nimport './run';\nexport const w = make().weight;\n",
    "run.ts": "#!/usr/bin/env node\nimport { make } from './lib';\nmake();\n",
    "broken.js": "const (\n",
    "useless.ts": "import './broken';\n",
    "pkg/__init__.py": "# a license\n" * 20,
}
CRATES: Files = {path: text.replace("weight", "size") for path, text in CRATE.items()}
BROKEN_PY, BROKEN_TS = [("use.py", 3)], [("use.ts", 3)]
MOVED = {"pkg/__init__.py": None}
OUTSIDE = f"import '{Path(__file__).parents[2] / 'docs' / 'review.schema.json'}';\n"
# What else the change does, the places that a type checker reports, what is listed as not checked, and checkers
# that could not run.
FAILURES: dict[str, tuple[Files, Files, str, list[tuple[str, int]], list[tuple[str, str]], list[str]]] = {
    "nothing": ({}, {}, "ty", BROKEN_PY, [], []),
    "a file where the former settings were": ({}, {**MOVED, ".deeprepo-ty/ty.toml/x.py": BOXES["pkg/__init__.py"]}, "ty", BROKEN_PY, [], []),
    "a file where the former settings of tsc were": ({}, {".deeprepo.tsconfig.0.json/x.ts": "export {};\n"}, "tsc", BROKEN_TS, [], []),
    "an import out of the repository": ({}, {"lib.ts": OUTSIDE + str(CRATES["lib.ts"])}, "tsc", [], [("", "tsc could not run: was led out of the repository by an import, to 1 file")], []),
    "an import out of the repository in a new file": ({}, {"new.d.ts": OUTSIDE}, "tsc", [], [("", "tsc could not run: was led out of the repository by an import, to 1 file")], []),
    "nothing, beside a file with an interpreter": ({}, {}, "tsc", BROKEN_TS, [], []),
    "a syntax error": ({}, {"lib.ts": "const (\n" + str(CRATES["lib.ts"])}, "tsc", [], [("lib.ts", "tsc: skipped this file (syntax error)")], []),
    "a syntax error in another file": ({"other.ts": "export const one = 1;\n", "more.ts": "import { one } from './other';\nexport const two = one + 1;\n"}, {"other.ts": "const (\n"}, "tsc", BROKEN_TS, [("other.ts", "tsc: skipped this file (syntax error)")], []),
    "a comment about a whole Python file": ({"use.py": f"{BOXES['use.py']}one = 1  # type: ignore\n"}, {"use.py": f"# Why\n# type: ignore\n{BOXES['use.py']}one = 1  # type: ignore\n"}, "ty", [], [("use.py", "ty: a comment added by the change silences missing-attribute in line 5")], []),
    "a comment about a whole TypeScript file": ({}, {"use.ts": f"// @ts-nocheck\n{BOXES['use.ts']}"}, "tsc", [], [("use.ts", "tsc: a comment added by the change silences TS2339 in line 4")], []),
    "a comment about a line": ({}, {"use.ts": str(BOXES["use.ts"]).replace("export", "// @ts-ignore\nexport")}, "tsc", [], [("use.ts", "tsc: a comment added by the change silences TS2339 in line 4")], []),
    "a license above a standing comment": ({"use.py": f"# type: ignore\n{BOXES['use.py']}"}, {"use.py": f"# a license\n# type: ignore\n{BOXES['use.py']}"}, "ty", [], [], []),
    "a standing import out of the repository": ({"more.d.ts": OUTSIDE}, {}, "tsc", [], [], ["tsc"]),
}  # fmt: skip


@needs_tsc
@pytest.mark.parametrize("name", FAILURES)
def test_failure_leaves_something_open_only_if_the_change_caused_it(repository: Repository, name: str) -> None:
    """A change can neither hide an error by making the checker fail, nor leave something open that always failed."""
    before, change, checker, broken, unchecked, not_run = FAILURES[name]
    pull = repository.change({**BOXES, **before}, {**CRATES, **change})
    coverage, findings = coverage_of(pull, checker, load_analyzer(checker))
    assert [(one.path, one.start) for one in findings] == broken
    assert [(row.path, row.reason) for row in coverage.open if row.kind == "check"] == unchecked
    assert [checker for checker, _ in coverage.not_run] == not_run
    assert "json-schema.org" not in repr((coverage, findings))


@needs_tsc
@pytest.mark.parametrize(("name", "is_cached"), [("nothing", True), ("a standing import out of the repository", False)])
def test_only_results_of_finished_programs_are_cached(
    repository: Repository, tmp_path: Path, name: str, *, is_cached: bool
) -> None:
    """The same content is checked only once, and a program that failed is run again."""
    before, change, checker, *_ = FAILURES[name]
    pull, folder = repository.change({**BOXES, **before}, {**CRATES, **change}), tmp_path / "facts"
    keep_facts(folder)
    try:
        first = coverage_of(pull, checker, load_analyzer(checker))
        cached = {file.name: file.read_bytes() for file in folder.glob("[!.]*")}
        assert bool(cached) == is_cached
        assert coverage_of(pull, checker, load_analyzer(checker)) == first
        assert {file.name: file.read_bytes() for file in folder.glob("[!.]*")} == cached
    finally:
        keep_facts(None)


def coverage_of(pull: PullRequest, name: str, checker: TypeChecker) -> tuple[Coverage, tuple[Finding, ...]]:
    """Return the coverage and the findings of a review that only runs this checker."""

    async def run(checkout: Checkout, files: step.Files) -> tuple[Coverage, tuple[Finding, ...]]:
        survey = step.survey(pull, checkout, files, dependents=await uses.find(checkout, files))
        reply = await AnalyzerWorker({name: checker}, survey).review(())
        return survey.tracker.coverage(), reply.findings

    return step.over(pull, run)


def test_links_and_huge_files_are_not_copied_for_the_checker(repository: Repository, tmp_path: Path) -> None:
    """Links and huge files are not copied for the checker, and the other files are checked without them."""
    (tmp_path / "x.py").write_text("def f(a, b): ...\n")
    repository.write(
        {
            "huge.py": "x = 1\n" * 400_000,
            "a.py": "def f(a): ...\n",
            "u.py": "import huge\nimport link\nfrom a import f\n\nf(1)\nlink.f(1)\nhuge.x\n",
        }
    )
    (repository.folder / "link.py").symlink_to(tmp_path / "x.py")
    pull = repository.change({}, {"a.py": "def f(a, b): ...\n"})
    assert places(pull, "ty") == [("u.py", 5, "missing-argument")]


class Counting(Ty):
    """A ty checker that records its runs."""

    def __init__(self, runs: list[str]) -> None:
        super().__init__()
        self.runs = runs

    async def run(self, folder: Path, sources: Sources, side: Side, checked: Collection[str]) -> list[Diagnostic]:
        """Record the side and run the checker."""
        self.runs.append(side)
        return await super().run(folder, sources, side, checked)


def test_missing_checker_is_listed_in_the_coverage(repository: Repository) -> None:
    """The coverage lists a checker that is not installed."""
    _, tree, change, _ = BROKEN["Python: a member"]
    pull = repository.change(tree, change)
    coverage, _ = coverage_of(pull, "ty", Absent())
    assert (coverage.not_installed, coverage.not_run) == (("ty",), ())


class Absent(Ty):
    """A ty checker that is not installed."""

    def program(self) -> str | None:
        """Return no program."""
        return None


def test_line_reported_by_two_analyzers_gives_one_finding_with_two_sources(repository: Repository) -> None:
    """A line that two analyzers report gives the contract finding, with the checker as another source."""
    pull = repository.change(
        {"a.py": "def f(a, b): ...\n", "u.py": "from a import f\n\nf(1, 2)\n"}, {"a.py": "def f(a): ...\n"}
    )

    async def run(checkout: Checkout, files: step.Files) -> tuple[Finding, ...]:
        survey = step.survey(pull, checkout, files, dependents=await uses.find(checkout, files))
        analyzers = {name: load_analyzer(name) for name in ("contracts", "ty")}
        return (await AnalyzerWorker(analyzers, survey).review(())).findings

    (finding,) = step.over(pull, run)
    assert (finding.source, finding.path, finding.start, finding.proven) == ("contracts + ty", "u.py", 3, True)
    assert [rewrite.new for rewrite in finding.rewrites] == ["f(1)"]


def test_likely_finding_becomes_proven_if_a_checker_rejects_the_line(repository: Repository) -> None:
    """A likely contract finding becomes proven if a type checker rejects the same line."""
    _, tree, change, _ = BROKEN["Python: a member"]
    (error,) = judge(repository.change(tree, change), "ty").findings
    source = replace(error.basis.sources[0], name="contracts", proof="", breaks=())
    basis = replace(error.basis, sources=(source,), verdict=Verdict.UNPROVEN)
    guess = replace(error, title="may still call old", basis=basis)
    (joined,) = merge_checker_errors({"contracts": [guess], "ty": [error]}, {"ty"})["contracts"]
    assert (joined.proven, joined.title, joined.source) == (True, error.title, "ty + contracts")
    (alone,) = merge_checker_errors({"contracts": [guess], "ty": []}, {"ty"})["contracts"]
    assert alone == guess
