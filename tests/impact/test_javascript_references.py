"""The names in new JavaScript and TypeScript lines that the repository lacks."""

from trees import messages, verdicts

SHOP = {
    "tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}, // comment\n}',
    "src/lib/money.ts": (
        "export const cents = (amount: number, places?: number) => amount;\nexport type Cart = {};\nconst hidden = 1;\n"
        "export { hidden as shown };\nexport * from './more';\nexport default cents;\n"
    ),
    "src/lib/more.ts": "export function total(first: number, ...rest: number[]) {}\n",
    "src/lib/only.ts": "export const one = 1;\n",
}


def of(text: str, more: dict[str, str] | None = None) -> list[str]:
    return messages({**SHOP, **(more or {}), "src/pay.tsx": text}, "src/pay.tsx")


def test_missing_file_is_reported() -> None:
    assert of(
        "import { x } from './lib/moneys';\nimport y from '@/lib/monney';\nimport './lib/style.css';\nexport * from './lib/mor.js';\n"
    ) == [
        "1 missing-module ./lib/moneys: ./lib/money",
        "2 missing-module @/lib/monney: @/lib/money",
        "3 missing-module ./lib/style.css",
        "4 missing-module ./lib/mor.js: ./lib/more.js",
    ]


def test_missing_export_is_reported() -> None:
    text = "import d, { cent, cents, Cart, shown, total, hidden } from '@/lib/money';\nimport o from './lib/only';\nexport { totl } from './lib/more.js';\n"
    assert of(text) == [
        "1 missing-name cent: cents",
        "1 missing-name hidden",
        "2 missing-name default",
        "3 missing-name totl: total",
    ]


def test_missing_namespace_member_is_reported() -> None:
    assert of("import * as m from './lib/more';\nm.total(1);\nm.totals(1);\nlet x: m.Sum;\n") == [
        "3 missing-member m.totals: total",
        "4 missing-member m.Sum",
    ]


def test_typescript_call_with_wrong_arguments_is_reported() -> None:
    text = "import { cents, total } from './lib/money';\ncents();\ncents(1, 2, 3);\ntotal(1, 2, 3);\ncents(...a);\ntotal();\n"
    assert of(text) == [
        "2 arguments cents: is missing 'amount'",
        "3 arguments cents: takes 1 to 2 arguments, not 3",
        "6 arguments total: is missing 'first'",
    ]


def test_ambiguous_name_is_not_reported() -> None:
    opened = {
        "src/a.ts": "export = x;\n",
        "src/b.js": "module.exports = make();\n",
        "src/c.native.ts": "",
        "src/View.vue": "",
        "src/d.ts": "export * from 'library';\n",
        "src/e.js": "console.log(1);\n",
        ".gitignore": "src/built/\n*.gen.ts\n",
    }
    text = (
        "import { a } from './a';\nimport { b } from './b';\nimport { c } from './c';\nimport { v } from './View.vue';\nimport { d } from './d';\n"
        "import { e } from './e';\nimport f from './built/f';\nimport g from './api.gen';\nimport h from '$app/stores';\nimport i from 'library/x';\n"
        "import j from './$types';\nimport k from './x.svg?raw';\n// @ts-expect-error\nimport { l } from './lib/only';\nimport m from '~icons/x';\n"
    )
    assert of(text, {**opened, "src/x.svg": ""}) == []


def test_missing_member_of_a_commonjs_export_is_reported() -> None:
    tree = {
        "lib/m.js": "function a() {}\nmodule.exports = { a, b: 1 };\nmodule.exports.c = 3;\n",
        "x.js": "const { a, z } = require('./lib/m');\nconst m = require('./lib/m');\nm.a();\nm.q();\nm.c;\nconst n = require('./lib/n');\nimport d from './lib/m';\n",
    }
    assert messages(tree, "x.js") == ["1 missing-name z", "4 missing-member m.q", "6 missing-module ./lib/n"]


def test_workspace_packages_are_resolved() -> None:
    tree = {
        "package.json": '{"workspaces": ["packages/*"]}',
        "packages/ui/package.json": '{"name": "@acme/ui", "exports": {".": "./dist/index.js", "./button": "./src/button.ts"}}',
        "packages/ui/src/index.ts": "export const theme = 1;\n",
        "packages/ui/src/button.ts": "export const Button = 1;\n",
        "packages/app/a.ts": "import { theme, them } from '@acme/ui';\nimport { Button, Buton } from '@acme/ui/button';\nimport x from '@acme/other';\n",
    }
    assert messages(tree, "packages/app/a.ts") == ["1 missing-name them: theme", "2 missing-name Buton: Button"]


def test_extended_configurations_are_resolved() -> None:
    tree = {
        "tsconfig.base.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"~/*": ["app/*"]}}}',
        "web/tsconfig.json": '{"extends": "../tsconfig.base.json"}',
        "app/db.ts": "export const db = 1;\n",
        "web/a.ts": "import { db } from '~/db';\nimport { b } from '~/dbb';\n",
    }
    assert messages(tree, "web/a.ts") == ["2 missing-module ~/dbb: ~/db"]


def test_missing_class_member_and_wrong_constructor_call_are_reported() -> None:
    more = {
        "src/kinds.ts": (
            "export enum Color { Red, Blue = 2 }\nexport class Base { static make() {}\n constructor(a: number, private b?: string) {} }\n"
            "export class Child extends Base { static size = 1 }\nexport class Plain {}\nexport class Far extends Library { static x = 1 }\n"
            "export type Kind = 'a';\n"
        )
    }
    text = (
        "import { Child, Color, Far, Plain } from './kinds';\nColor.Red;\nColor.Green;\nChild.make();\nChild.size;\nChild.sizes;\nFar.nothing;\n"
        "new Child();\nnew Child(1, '');\nnew Plain(1);\nnew Far(1);\n"
    )
    assert of(text, more) == [
        "3 missing-member Color.Green",
        "6 missing-member Child.sizes: size",
        "8 arguments Child: is missing 'a'",
        "10 arguments Plain: takes 0 arguments, not 1",
    ]


def test_missing_member_of_a_new_object_is_reported() -> None:
    more = {"src/kinds.ts": "export class Plain {\n  size = 1;\n  #own = 2;\n  total(a: number) {}\n}\n"}
    text = (
        "import { Plain } from './kinds';\nconst one = new Plain();\none.size;\none.sise;\none.total();\none.toString();\nlet two = new Plain();\ntwo.nothing;\n"
        "const three: any = new Plain();\nthree.nothing;\n"
    )
    assert of(text, more) == ["4 missing-member one.sise: size", "5 arguments one.total: is missing 'a'"]


def test_imports_by_a_library_alias_or_in_a_template_are_not_reported() -> None:
    tree = {
        "package.json": '{"devDependencies": {"@acme/tool": "1"}}',
        "tsconfig.json": '{"compilerOptions": {"paths": {"@acme/*": ["./packages/*/src"]}}}',
        "src/a.ts": "import { x } from '@acme/tool';\nimport { y } from '@acme/none';\n",
        "create/template/main.ts": "import App from './App';\nimport { y } from '@acme/none';\n",
    }
    assert messages(tree, "src/a.ts") == ["2 missing-module @acme/none"]
    assert messages(tree, "create/template/main.ts") == []


def test_method_call_on_this_is_checked() -> None:
    text = "class Box extends Base {\n  put(a: number, b: number) {}\n  fill() { this.put(1); this.put(1, 2); this.size(); }\n}\n"
    assert of(text.replace(" extends Base", "")) == ["3 arguments this.put: is missing 'b'"]
    assert of(f"import {{ Base }} from 'lib';\n{text}") == []


def test_renamed_exports_declaration_files_and_import_queries_are_resolved() -> None:
    more = {
        "src/made.ts": "export { default as made } from './one';\nexport { one as default } from './one';\n",
        "src/one.ts": "export default function () {}\nexport const one = 1;\n",
        "src/types.d.ts": "interface Row {}\nexport {};\n",
        "src/worker.ts": "export const x = 1;\n",
    }
    text = "import made, { made as m, mad } from './made';\nimport { Row } from './types';\nimport url from './worker?url';\nimport none from './workr?url';\n"
    assert of(text, more) == ["1 missing-name mad: made", "4 missing-module ./workr?url: ./worker?url"]


def test_component_script_is_checked() -> None:
    more = {
        "src/one.ts": "export const one = 1;\nexport function two(a: number) {}\n",
        "src/Row.vue": "<script setup>\nconst own = 1;\n</script>\n",
    }
    page = (
        "<template>\n  <p>import { nothing } from './one'</p>\n</template>\n<script setup lang=\"ts\">\nimport { one, on } from './one';\nimport * as all from './/one';\n"
        "import Row, { anything } from './Row.vue';\nimport Rows from './Rows.vue';\nall.thre;\nall.two();\n</script>\n<style>a { color: red }</style>\n"
    )
    assert messages({"package.json": "{}", **more, "src/Page.vue": page}, "src/Page.vue") == [
        "5 missing-name on: one",
        "8 missing-module ./Rows.vue: ./Row.vue",
        "9 missing-member all.thre",
    ]


def test_bundler_and_framework_aliases_are_resolved() -> None:
    """Imports resolve through bundler and framework aliases; an alias without a file proves nothing."""
    more = {
        "package.json": '{"devDependencies": {"@sveltejs/kit": "2"}, "jest": {"moduleNameMapper": {"^@jest/(.*)$": "<rootDir>/src/$1", "^fs$": "<rootDir>/src/lib/only.ts"}}}',
        "vite.config.ts": (
            "export default { resolve: { alias: [{ find: '~lib', replacement: fileURLToPath(new URL('./src/lib', import.meta.url)) }] } };\n"
            "const other = { alias: { $src: path.resolve(__dirname, 'src'), react: './src/lib/only.ts', here: where(1) } };\n"
        ),
    }
    text = (
        "import { cent } from '$lib/money';\nimport { cens } from '~lib/money';\nimport { two } from '$src/lib/only';\nimport { three } from '@jest/lib/only';\n"
        "import { useState } from 'react';\nimport { readFile } from 'fs';\nimport x from '$src/none';\nimport y from 'here/none';\n"
    )
    assert of(text, more) == [
        "1 missing-name cent: cents",
        "2 missing-name cens: cents",
        "3 missing-name two",
        "4 missing-name three",
    ]


def test_name_in_any_platform_specific_file_is_not_missing() -> None:
    """A name is reported only if none of a module's platform-specific files has it."""
    more = {
        "package.json": '{"dependencies": {"react-native": "0.74"}}',
        "src/store.ios.ts": "export const save = 1;\nexport const apple = 1;\n",
        "src/store.android.ts": "export const save = 1;\n",
    }
    assert of("import { save, apple, lode } from './store';\n", more) == ["1 missing-name lode"]


def test_first_word_of_an_import_may_stand_for_a_folder() -> None:
    """With the output of a build in the tree, `paths` leads there, and a new source file isn't in it yet."""
    before = {
        "package.json": "{}",
        "core/src/forms/Cart.ts": "export default 1;\n",
        "core/typings/forms/Cart.d.ts": "declare const _default: 1;\nexport default _default;\n",
        "tags/tsconfig.json": '{"compilerOptions": {"paths": {"shop/*": ["../core/typings/*"]}}}',
    }
    text = "import Cart from 'shop/forms/Cart';\nimport Login from 'shop/forms/Login';\nimport Bag from 'shop/forms/Bag';\n"
    after = {**before, "core/src/forms/Login.ts": "export default 2;\n", "tags/src/pay.ts": text}
    assert verdicts(before, after, "tags/src/pay.ts") == ["2 shop/forms/Login likely", "3 shop/forms/Bag proven"]


def test_import_below_an_alias_that_the_base_uses_alike_is_not_proven() -> None:
    """A missing module is not reported if the base lacks a neighbor of it, and only likely if its folder is elsewhere.

    The alias may be that of another project.
    """
    before = {
        **SHOP,
        "kits/src/page.ts": "import { auth } from '@/server/auth';\n",
        "kits/src/server/auth/index.ts": "export const auth = 1;\n",
    }
    text = "import { bill } from '@/server/bill';\nimport { send } from '@/queue/send';\nimport { pay } from '@/queue/pay';\n"
    after = {**before, "kits/src/queue/send/index.ts": "export const send = 1;\n", "kits/src/bill.ts": text}
    assert verdicts(before, after, "kits/src/bill.ts") == ["2 @/queue/send likely", "3 @/queue/pay proven"]
