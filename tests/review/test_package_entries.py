"""Entries that a manifest takes away while imports ask for them: `exports`, `imports`, `main`, the packages of a workspace."""

import json
from collections.abc import Mapping

import pytest
from small_changes import Files, Places

Table = Mapping[str, object]
CODE: Files = {
    "utils.js": "export const a = 1\n",
    "index.js": "export const b = 1\n",
    "lib/deep.js": "export const c = 1\n",
    "src/more.js": "export const d = 1\n",
}
BELOW: Files = {f"packages/shop/{path}": text for path, text in CODE.items()}


def _import(spec: str) -> str:
    return f'import {{ a }} from "{spec}"\nconsole.log(a)\n'


def _own(table: Table, user: str) -> Files:
    return {
        **CODE,
        "package.json": json.dumps({"name": "shop", "type": "module", **table}, indent=2) + "\n",
        "app.js": user,
    }


def _workspace(table: Table, user: str, root: Table | None = None) -> Files:
    root = {"workspaces": ["packages/*"]} if root is None else root
    return {
        **BELOW,
        "package.json": json.dumps({"name": "root", "private": True, **root}, indent=2) + "\n",
        "packages/shop/package.json": json.dumps({"name": "shop", "type": "module", **table}, indent=2) + "\n",
        "packages/app/package.json": json.dumps(
            {"name": "app", "type": "module", "dependencies": {"shop": "*"}}, indent=2
        )
        + "\n",
        "packages/app/app.js": user,
    }


def _pnpm(listed: str) -> Files:
    return {**_workspace({}, _import("shop"), {}), "pnpm-workspace.yaml": listed}


BOTH: Table = {"exports": {".": "./index.js", "./utils": "./utils.js"}}
ONE: Table = {"exports": {".": "./index.js"}}
PATTERN: Table = {"exports": {".": "./index.js", "./*": "./*.js"}}
CONDITIONS: Table = {"exports": {".": "./index.js", "./utils": {"import": "./utils.js", "require": "./utils.js"}}}
NESTED: Table = {
    "exports": {
        ".": "./index.js",
        "./utils": {"node": {"import": {"types": "./utils.d.ts", "default": "./utils.js"}}, "require": "./utils.js"},
    }
}
GONE: Mapping[str, tuple[Files, Files, str]] = {
    "entry": (_own(BOTH, _import("shop/utils")), _own(ONE, _import("shop/utils")), "app.js"),
    "entry of a workspace": (_workspace(BOTH, _import("shop/utils")), _workspace(ONE, _import("shop/utils")), "packages/app/app.js"),
    "entry that is null": (_own(BOTH, _import("shop/utils")), _own({"exports": {".": "./index.js", "./utils": None}}, _import("shop/utils")), "app.js"),
    "entry renamed": (_own(BOTH, _import("shop/utils")), _own({"exports": {".": "./index.js", "./tools": "./utils.js"}}, _import("shop/utils")), "app.js"),
    "root entry": (_own(BOTH, _import("shop")), _own({"exports": {"./utils": "./utils.js"}}, _import("shop")), "app.js"),
    "pattern": (_own(PATTERN, _import("shop/utils")), _own(ONE, _import("shop/utils")), "app.js"),
    "pattern narrowed": (_own(PATTERN, _import("shop/utils")), _own({"exports": {".": "./index.js", "./lib/*": "./lib/*.js"}}, _import("shop/utils")), "app.js"),
    "pattern forbids": (_own({"exports": {"./*": "./*.js"}}, _import("shop/lib/deep")), _own({"exports": {"./*": "./*.js", "./lib/*": None}}, _import("shop/lib/deep")), "app.js"),
    "condition of imports": (_own(CONDITIONS, _import("shop/utils")), _own({"exports": {".": "./index.js", "./utils": {"require": "./utils.js"}}}, _import("shop/utils")), "app.js"),
    "condition of calls": (_own(CONDITIONS, 'const { a } = require("shop/utils")\n'), _own({"exports": {".": "./index.js", "./utils": {"import": "./utils.js"}}}, 'const { a } = require("shop/utils")\n'), "app.js"),
    "nested condition": (_own(NESTED, _import("shop/utils")), _own({"exports": {".": "./index.js", "./utils": {"node": {}, "require": "./utils.js"}}}, _import("shop/utils")), "app.js"),
    "loaded later": (_own(BOTH, 'export const load = () => import("shop/utils")\n'), _own(ONE, 'export const load = () => import("shop/utils")\n'), "app.js"),
    "handed on": (_own(BOTH, 'export * from "shop/utils"\n'), _own(ONE, 'export * from "shop/utils"\n'), "app.js"),
    "exports come": (_own({}, _import("shop/lib/deep.js")), _own(ONE, _import("shop/lib/deep.js")), "app.js"),
    "own import": (_own({"imports": {"#utils": "./utils.js"}}, _import("#utils")), _own({}, _import("#utils")), "app.js"),
    "own pattern": (_own({"imports": {"#lib/*": "./lib/*.js"}}, _import("#lib/deep")), _own({}, _import("#lib/deep")), "app.js"),
    "own import without a name": (
        {**CODE, "package.json": '{"imports": {"#utils": "./utils.js"}}\n', "app.js": _import("#utils")},
        {"package.json": '{"imports": {}}\n'},
        "app.js",
    ),
    "main": (_workspace({"main": "./utils.js"}, _import("shop")), _workspace({}, _import("shop")), "packages/app/app.js"),
    "main of a file that is built": (_workspace({"main": "./dist/more.js"}, _import("shop")), _workspace({}, _import("shop")), "packages/app/app.js"),
    "list of npm": (_workspace({}, _import("shop")), _workspace({}, _import("shop"), {"workspaces": ["packages/app"]}), "packages/app/app.js"),
    "list of yarn": (_workspace({}, _import("shop"), {"workspaces": {"packages": ["packages/*"]}}), _workspace({}, _import("shop"), {"workspaces": {"packages": ["packages/app"]}}), "packages/app/app.js"),
    "list with an exception": (_workspace({}, _import("shop")), _workspace({}, _import("shop"), {"workspaces": ["packages/*", "!packages/shop"]}), "packages/app/app.js"),
    "no list": (_workspace({}, _import("shop")), _workspace({}, _import("shop"), {}), "packages/app/app.js"),
    "list of pnpm": (_pnpm("packages:\n  # ours\n  - 'packages/*'\n"), {"pnpm-workspace.yaml": 'packages:\n  - "packages/app"  # alone\n\ncatalog:\n  - packages/shop\n'}, "packages/app/app.js"),
    "list of pnpm in one line": (_pnpm('packages: ["packages/app", "packages/shop"]\n'), {"pnpm-workspace.yaml": 'packages: ["packages/app"]\n'}, "packages/app/app.js"),
    "exception of pnpm": (_pnpm("packages:\n- packages/**\n"), {"pnpm-workspace.yaml": "packages:\n- packages/**\n- '!packages/shop'\n"}, "packages/app/app.js"),
}  # fmt: skip


@pytest.mark.parametrize("case", GONE)
def test_an_import_for_which_no_manifest_speaks_any_more_is_open(places: Places, case: str) -> None:
    """The file is where it was, and an import of its package's name no longer leads to it."""
    before, after, user = GONE[case]
    assert user in places(before, {path: text for path, text in after.items() if text != before.get(path)})


KEPT: Mapping[str, tuple[Files, Files, str]] = {
    "another entry": (_own(BOTH, _import("shop")), _own(ONE, _import("shop")), "app.js"),
    "relative": (_own(BOTH, _import("./utils")), _own(ONE, _import("./utils")), "app.js"),
    "a pattern that still fits": (_own(BOTH, _import("shop/utils")), _own(PATTERN, _import("shop/utils")), "app.js"),
    "a condition more": (_own(BOTH, _import("shop/utils")), _own(CONDITIONS, _import("shop/utils")), "app.js"),
    "default in place of a condition": (_own(CONDITIONS, _import("shop/utils")), _own({"exports": {".": "./index.js", "./utils": {"types": "./u.d.ts", "default": "./utils.js"}}}, _import("shop/utils")), "app.js"),
    "the condition of the other statement": (_own(CONDITIONS, _import("shop/utils")), _own({"exports": {".": "./index.js", "./utils": {"import": "./utils.js"}}}, _import("shop/utils")), "app.js"),
    "exports that lead to everything": (_own({}, _import("shop/lib/deep.js")), _own({"exports": {"./*": "./*"}}, _import("shop/lib/deep.js")), "app.js"),
    "a version": (_own(BOTH, _import("shop/utils")), _own({**BOTH, "version": "1.2.0"}, _import("shop/utils")), "app.js"),
    "a package beside": (_workspace({}, _import("shop")), _workspace({}, _import("shop"), {"workspaces": ["packages/shop", "packages/app", "tools/*"]}), "packages/app/app.js"),
    "from npm to pnpm": (_workspace({}, _import("shop")), {**_workspace({}, _import("shop"), {}), "pnpm-workspace.yaml": "packages:\n  - packages/*\n"}, "packages/app/app.js"),
    "never listed": (_workspace({}, _import("shop"), {"workspaces": ["tools/*"]}), _workspace({}, _import("shop"), {"workspaces": []}), "packages/app/app.js"),
}  # fmt: skip


@pytest.mark.parametrize("case", KEPT)
def test_an_import_for_which_a_manifest_still_speaks_is_not(places: Places, case: str) -> None:
    """Another entry, another condition, another way to list the same package, and what no manifest ever said change no import."""
    before, after, user = KEPT[case]
    assert user not in places(before, {path: text for path, text in after.items() if text != before.get(path)})
