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


@pytest.mark.parametrize("after", ["slice", None], ids=["renamed", "removed"])
def test_a_local_function_is_missed_by_its_callers(repository: Repository, after: str | None) -> None:
    """However the file exports: a call of a name that is gone from the same file is found."""
    before: dict[str, str] = {}
    new: dict[str, str] = {}
    for at, (path, form) in enumerate(LOCAL.values()):
        used = USED.replace("cut", f"cut{at}")
        before[f"n{at}/{path}"] = lib(form, f"cut{at}", used)
        kept = f"{used}{form.replace('NAME', 'other')}"
        new[f"n{at}/{path}"] = kept if after is None else lib(form, f"{after}{at}", used)
    found = look(repository.change(dict(before), dict(new)))

    lines = {(finding.path, new[finding.path].splitlines()[finding.start - 1]) for finding in found}
    assert lines >= {(path, f"  return cut{at}(a)") for at, path in enumerate(new)}


def test_a_named_export_is_missed_by_its_importers(repository: Repository) -> None:
    """A renamed export is found where it is used under its old name, however it is imported; one that stays is not."""
    own = "function other(a) {\n  return a\n}\n"
    before: dict[str, str] = {}
    new: dict[str, str] = {}
    for at, (path, form) in enumerate(FORMS.values()):
        before[f"n{at}/{path}"] = lib(form, f"cut{at}", own)
        before |= {f"n{at}/{name}": text.replace("cut", f"cut{at}") for name, text in IMPORTERS.items()}
        new[f"n{at}/{path}"] = lib(form, f"slice{at}", own)
    found = look(repository.change(dict(before), dict(new)))

    assert {(finding.path, finding.start, finding.rule) for finding in found} == {
        (f"n{at}/{importer}", 2, "removed-symbol") for at in range(len(FORMS)) for importer in IMPORTERS
    }
    kept = {path: f"{before[path]}\nfunction more() {{}}\n" for path in new}
    assert look(repository.change(dict(before), dict(kept))) == []


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
