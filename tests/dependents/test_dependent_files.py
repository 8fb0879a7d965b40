import pytest
from dependents_scene import find
from fakes import Repository


@pytest.mark.parametrize(
    ("target", "importer", "code"),
    [
        ("pkg/core/utils.py", "pkg/app.py", "from pkg.core import utils\n"),
        ("pkg/core/utils.py", "pkg/app.py", "from pkg.core.utils import x\n"),
        ("pkg/core/utils.py", "pkg/app.py", "import pkg.core.utils as u\n"),
        ("pkg/core/utils.py", "pkg/app.py", "from pkg.core import (\n    other,\n    utils,\n)\n"),
        ("pkg/core/utils.py", "pkg/app.py", "from pkg.core \\\n    import utils\n"),
        ("pkg/core/utils.py", "pkg/core/app.py", "from . \\\n    import utils\n"),
        ("helper.py", "script.py", "from \\\n    helper import x\n"),
        ("pkg/core/utils.py", "pkg/core/app.py", "from . import utils\n"),
        ("pkg/core/utils.py", "pkg/core/app.py", "from .utils import x\n"),
        ("pkg/core/utils.py", "pkg/other/app.py", "from ..core.utils import x\n"),
        ("pkg/core/utils.py", "pkg/app.py", "def f():\n    from pkg.core.utils import x\n"),
        ("pkg/core/utils.py", "pkg/app.py", "import importlib\n\nimportlib.import_module('pkg.core.utils')\n"),
        ("pkg/core/__init__.py", "pkg/app.py", "from pkg.core import x\n"),
        ("src/pkg/core/utils.py", "tests/test_it.py", "from pkg.core.utils import x\n"),
        ("helper.py", "script.py", "import helper\n"),
        ("pkg/time.py", "pkg/script.py", "from pkg.time import x\n"),
    ],
)
def test_python_importers_are_found(repository: Repository, target: str, importer: str, code: str) -> None:
    """Absolute, relative, local and `import_module` imports are found, with and without a `src` folder."""
    packages: dict[str, str | bytes | None] = {
        f"{root}{folder}/__init__.py": ""
        for root in ("", "src/")
        if target.startswith(root)
        for folder in ("pkg", "pkg/core", "pkg/other")
    }
    before = {**packages, "pkg/core/other.py": "", target: "x = 1\n", importer: code}
    found = find(repository.change(before, {target: "x = 2\n"}))

    assert [(item.path, item.target) for item in found.files] == [(importer, target)]


def test_stdlib_import_does_not_resolve_to_a_package_module(repository: Repository) -> None:
    """`import time` means the standard library, unless the script is in the same folder as a time.py."""
    before = {
        "pkg/__init__.py": "",
        "tools/time.py": "x = 1\n",
        "pkg/app.py": "import time\n",
        "tools/script.py": "import time\n",
    }
    found = find(repository.change(before, {"tools/time.py": "x = 2\n"}))

    assert [item.path for item in found.files] == ["tools/script.py"]


@pytest.mark.parametrize(
    ("target", "importer", "code"),
    [
        ("src/words.ts", "src/app.ts", "import { x } from './words'\n"),
        ("src/words.ts", "src/app.ts", "import { x } from './words.js'\n"),
        ("src/words.ts", "src/deep/app.ts", "export * from '../words'\n"),
        ("src/words/index.ts", "src/app.ts", "import x from './words'\n"),
        ("src/words/index.ts", "src/words/app.ts", "import x from '.'\n"),
        ("src/words.ts", "src/app.js", "const { x } = require('./words')\n"),
        ("src/words.ts", "src/app.ts", "const x = await import('./words')\n"),
        ("src/words.ts", "test/app.test.ts", "import { x } from '@/words'\n"),
        ("packages/lib/src/index.ts", "src/app.ts", "import { x } from '@shop/lib'\n"),
        ("packages/lib/src/more.ts", "src/app.ts", "import { x } from '@shop/lib/more'\n"),
        ("src/words.ts", "src/App.vue", "<script setup>\nimport { x } from './words'\n</script>\n"),
        ("src/[id].ts", "src/app.ts", "import { x } from './[id]'\n"),
    ],
)
def test_javascript_importers_are_found(repository: Repository, target: str, importer: str, code: str) -> None:
    """Relative paths, aliases and workspace packages are resolved."""
    before = {
        "tsconfig.json": '{\n  // where "@" leads\n  "compilerOptions": {"paths": {"@/*": ["./src/*"],}},\n}\n',
        "package.json": '{"name": "shop"}',
        "packages/lib/package.json": '{"name": "@shop/lib", "main": "dist/index.js", "exports": {".": "./dist/index.js", "./more": {"import": "./dist/more.mjs"}}}',
        target: "export const x = 1\n",
        importer: code,
    }
    found = find(repository.change(before, {target: "export const x = 2\n"}))

    assert [(item.path, item.target) for item in found.files] == [(importer, target)]


def test_imports_in_comments_and_strings_make_no_dependents(repository: Repository) -> None:
    """Imports in comments and strings make no dependents."""
    before = {
        "a.js": "export const x = 1\n",
        "doc.js": "/**\n * import { x } from './a'\n */\n// import { x } from './a'\n",
        "text.js": "const code = `\nimport { x } from './a'\n`\n",
    }
    found = find(repository.change(before, {"a.js": "export const x = 2\n"}))

    assert found.files == ()


def test_importers_through_a_barrel_depend_on_the_defining_file(repository: Repository) -> None:
    """A file that imports a changed name from a re-export depends on the file that defines the name."""
    before = {
        "src/index.ts": "export { cut, join } from './words'\n",
        "src/words.ts": "export function cut() { return 1 }\nexport function join() { return 1 }\n",
        "a.ts": "import { cut } from './src'\n",
        "b.ts": "import { join } from './src'\n",
    }
    after = {"src/words.ts": "export function cut() { return 2 }\nexport function join() { return 1 }\n"}
    found = find(repository.change(before, after))

    assert [(item.path, item.target, item.via) for item in found.files] == [
        ("a.ts", "src/words.ts", "src/index.ts"),
        ("src/index.ts", "src/words.ts", None),
    ]


@pytest.mark.parametrize(
    ("target", "importer", "code"),
    [
        ("src/words.ts", "src/app.ts", "import './words'\n"),
        ("src/words.ts", "src/app.test.ts", "vi.mock('./words')\n"),
        ("src/words.ts", "src/app.test.ts", "jest.mock('./words', () => ({}))\n"),
        ("src/words.js", "src/app.js", "require('./words')\n"),
        ("src/words.ts", "src/app.ts", "await import('./words')\n"),
        ("words/words.go", "app.go", 'package m\n\nimport _ "example.invalid/m/words"\n'),
    ],
)
def test_side_effect_import_makes_a_dependent(repository: Repository, target: str, importer: str, code: str) -> None:
    """Loading a module can have side effects, so files that only load it depend on it too."""
    before = {"go.mod": "module example.invalid/m\n", target: "package words\n", importer: code}
    found = find(repository.change(dict(before), {target: "package words\n\n// x\n"}))

    assert [(item.path, item.target, set(item.names)) for item in found.files] == [(importer, target, set())]
