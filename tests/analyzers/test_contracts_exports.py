"""The contract checks on every way in which a JavaScript or TypeScript file exports."""

import pytest
from contract_findings import look
from fakes import Repository
from families import few

BODY = "(a) {\n  const sum = a + 1\n  return sum\n}\n"
USED = "function other(a) {\n  return cut(a)\n}\n"
FORMS = {
    "an object handed to Object.assign": ("lib.js", "Object.assign(module.exports, { NAME, other })\n"),
    "Object.assign of exports, twice": (
        "lib.js",
        "Object.assign(exports, { other })\nObject.assign(exports, { NAME: NAME })\n",
    ),
    "a name for module.exports": ("lib.js", "const api = module.exports = { NAME, other }\napi.more = 1\n"),
    "a name for both": ("lib.js", "var api = exports = module.exports = { other }\napi.NAME = NAME\n"),
    "a chain of names": ("lib.js", "exports.NAME = exports.again = NAME\nexports.other = other\n"),
    "a defined value": ("lib.js", 'Object.defineProperty(exports, "NAME", { enumerable: true, value: NAME })\n'),
    "a defined getter": (
        "lib.js",
        'Object.defineProperty(exports, "NAME", { enumerable: true, get: function () { return NAME; } });\n',
    ),
    "defined properties": ("lib.js", "Object.defineProperties(module.exports, { NAME: { get: () => NAME } })\n"),
    "a list of exports": ("lib.js", "export { NAME, other as more }\n"),
    "a constant object": ("lib.js", "const api = { NAME, other }\nmodule.exports = api\n"),
    "an object as what TypeScript exports": ("lib.ts", "export = { NAME, other }\n"),
}
LOCAL = {
    **FORMS,
    "another name in the list": ("lib.js", "export { other as cut }\n"),
    "a default object": ("lib.js", "export default { NAME, other }\n"),
    "what TypeScript exports": ("lib.ts", "export = other\n"),
    "what a call returned": ("lib.js", "module.exports = wrap({ NAME, other })\n"),
    "a spread": ("lib.js", "module.exports = { ...require('./more'), NAME, other }\n"),
    "computed names": ("lib.js", "Object.assign(module.exports, require('./more'), { other })\n"),
}

IMPORTERS = {
    "braces.js": "const { cut } = require('./lib')\ncut(1)\n",
    "member.js": "const lib = require('./lib')\nlib.cut(1)\n",
    "import.js": "import { cut } from './lib'\ncut(1)\n",
}


def lib(form: str, name: str, used: str) -> str:
    return f"function {name}{BODY}{used}{form.replace('NAME', name)}"


@pytest.mark.parametrize(("path", "form"), LOCAL.values(), ids=LOCAL)
@pytest.mark.parametrize("after", ["slice", None], ids=["renamed", "removed"])
def test_a_local_function_is_missed_by_its_callers(
    repository: Repository, path: str, form: str, after: str | None
) -> None:
    """However the file exports: a call of a name that is gone from the same file is found."""
    before = lib(form, "cut", USED)
    new = f"{USED}{form.replace('NAME', 'other')}" if after is None else lib(form, after, USED)
    found = look(repository.change({path: before}, {path: new}))

    assert {(finding.path, new.splitlines()[finding.start - 1]) for finding in found} >= {(path, "  return cut(a)")}


@pytest.mark.parametrize(("path", "form"), FORMS.values(), ids=FORMS)
def test_a_named_export_is_missed_by_its_importers(repository: Repository, path: str, form: str) -> None:
    """A renamed export is found where it is used under its old name, however it is imported; one that stays is not."""
    own = "function other(a) {\n  return a\n}\n"
    before = {path: lib(form, "cut", own), **IMPORTERS}
    found = look(repository.change(before, {path: lib(form, "slice", own)}))

    assert sorted((finding.path, finding.start, finding.rule) for finding in found) == [
        (importer, 2, "removed-symbol") for importer in sorted(IMPORTERS)
    ]
    kept = f"{lib(form, 'cut', own)}\nfunction more() {{}}\n"
    assert look(repository.change(before, {path: kept})) == []


@pytest.mark.parametrize(
    "more",
    few(
        [
            "Object.assign(module.exports, require('./more'))",
            "Object.assign(module.exports, { ...require('./more') })",
            "Object.defineProperty(exports, name, { value: 1 })",
            "Object.defineProperties(exports, described)",
            "fill(module.exports)",
            "exports[name] = 1",
            "const api = module.exports = { other }\nfill(api)",
            "const api = module.exports = { other }\napi[name] = 1",
            "const api = module.exports = make()",
            "const api = { other }\nfill(api)\nmodule.exports = api",
            "let api = { other }\napi = make()\nmodule.exports = api",
        ],
        *range(0, 11, 4),
    ),
)
def test_exports_that_are_computed_miss_nothing(repository: Repository, more: str) -> None:
    """A name that may have been added elsewhere is not reported."""
    own = "function other(a) {\n  return a\n}\n"
    before = {
        "lib.js": lib(f"exports.NAME = NAME\n{more}\n", "cut", own),
        "more.js": "exports.b = 1\n",
        "app.js": "const { cut } = require('./lib')\ncut(1)\n",
    }
    assert look(repository.change(before, {"lib.js": lib(f"exports.NAME = NAME\n{more}\n", "slice", own)})) == []
