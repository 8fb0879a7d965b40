"""Classify files by their paths: tests, prose, samples, settings, generated files.

All parts of a review use these functions, so that they agree. A code suffix takes precedence over the name:
`src/history.ts` is code, `HISTORY` and `history.md` are prose.
"""

import re
from functools import lru_cache
from posixpath import basename, dirname

from deeprepo.impact.filetypes import filetype

# Escapes for bytes of a name that is not UTF-8.
_NAME_ESCAPE = re.compile(r"\\x(?:5c|[89a-f][0-9a-f])")
_RAW_ESCAPE = re.compile(rb"\\x(5c|[89a-f][0-9a-f])")


def file_kind(
    *, suffixes: str = "", names: str = "", folders: str = "", other: str = "", any_case: bool = True
) -> re.Pattern[str]:
    """Return a pattern for a kind of files by suffix, name, parent folder or another form."""
    forms = (
        rf"\.(?:{suffixes})$" if suffixes else "",
        rf"(?:^|/)(?:{names})$" if names else "",
        rf"(?:^|/)(?:{folders})/" if folders else "",
        other,
    )
    return re.compile("|".join(filter(None, forms)), re.IGNORECASE if any_case else 0)


# In addition to the languages in `deeprepo/impact/languages`.
_CODE = file_kind(
    suffixes=r"pyw|pyx|ipynb|[cm]jsx|[cm]tsx|astro|groovy|gradle|fs|vb|erb|php\d|pl|pm|r|jl|dart|mm?|c\+\+"
    r"|erl|hs|ml|mli|clj[sc]?|nim|zig|sol|k?sh|bash|zsh|fish|ps1|psm1|bat|cmd|p?sql|ddl|proto|graphql|tf|hcl|cmake|mk",
    names=r"Dockerfile|Makefile|Jenkinsfile|Rakefile|Gemfile|CMakeLists\.txt",
)
_TEST_FOLDER = re.compile(
    r"(?:^|/)(?:tests?|testing|__tests__|__mocks__|specs?|e2e|cypress|playwright|step_definitions"
    r"|(?:unit|integration|functional|acceptance|e2e|api|ui)[-_.]?tests?|tests?[-_](?:data|utils?|helpers?|suites?|support|cases?|fixtures?|lib|e2e|unit|integration)"
    r"|testdata|testutils?|test_\w+)/|^t/",
    re.IGNORECASE,
)
# Folders named like a test project or test source set: Shop.Tests, androidTest.
_TEST_PROJECT = re.compile(r"(?:^|/)(?:[\w.-]+\.(?:\w*Tests?|Specs)|[a-z]\w*Tests?|\w*[a-z]UITests|\w*[a-z]UnitTests)/")
_TEST_NAME = re.compile(
    r"(?:^|/)(?:test_[^/]*|conftest\.pyi?|(?:jest|vitest)[-.]setup\.[cm]?[jt]sx?|test-[^/]*\.[cm]?[jt]sx?|tests\.\w+)$"
    r"|^tests?\.\w+$"
    r"|[._-](?:tests?|spec|cy|e2e|test-d)\.[a-z]+$|_tests?\.[a-z]+$|\.(?:feature|t|bats)$",
    re.IGNORECASE,
)
# Test classes by the conventions of JUnit, NUnit, xUnit, PHPUnit, ScalaTest, Spock and XCTest.
_TEST_CLASS = re.compile(
    r"(?:^|/)(?:\w*[a-z0-9_])?(?:Tests?|TestCase|Spec|Specs)\.(?:java|kts?|cs|fs|vb|php|scala|groovy|swift|mm?|cc|cpp|cxx|h|hpp|dart|ts|js)$"
    r"|(?:^|/)\w*[a-z0-9_](?:IT|ITCase)\.(?:java|kt|groovy|scala)$|(?:^|/)(?:Test|IT)[A-Z]\w*\.(?:java|kt|groovy|scala|php)$"
    r"|(?:^|/)setupTests\.[jt]sx?$"
)
_PROSE = file_kind(suffixes="md|mdx|markdown|mkd|rst|txt|adoc|asciidoc|po|pot|rtf|tex|[1-8]")
# Text files that programs read: builds, dependencies, rules for crawlers.
_NO_PROSE = file_kind(
    names=r"CMakeLists\.txt|(?=[^/]*requirements)[\w.-]+\.txt|requirements/[^/]+\.txt|constraints[\w.-]*\.txt|robots\.txt"
)
# Documents without a suffix, in capitals; words that may be scripts must be capitalized.
_DOCUMENT = re.compile(
    r"(?:^|/)(?:(?i:readme|changelog|changes|licen[cs]e|copying|authors|contributors|contributing|maintainers)"
    r"|NEWS|News|HISTORY|History|NOTICE|Notice|CREDITS|Credits|THANKS|Thanks|TODO|INSTALL|PATENTS|UPGRADING|RELEASE[-_]?NOTES)"
    r"(?:[-_.][\w.-]*)?$"
)
_DATA = file_kind(
    suffixes="ya?ml|toml|jsonc?|json5|ini|cfg|conf|env|properties|xml|csv|tsv|html?|css|scss|less|in|am|ac|lock|svg|png|gif|jpe?g"
)
_SETTINGS = file_kind(
    suffixes="ya?ml|toml|jsonc?|json5|ini|cfg|env|properties|tf|hcl|xml", names=r"\.env(?:\.[\w.-]+)?"
)
_MADE = file_kind(
    folders="__snapshots__",
    other=r"(?:_pb2(?:_grpc)?\.pyi?|\.pb(?:\.gw)?\.(?:go|cc|h)|\.g\.dart|\.designer\.cs|\.generated\.\w+|\.snap|\.min\.(?:js|css|mjs)|\.(?:js|css)\.map)$",
)
_OUTPUT = file_kind(suffixes="svg|lock|lockb|snap|map|diff|patch")
_LOCK_FILES = frozenset(
    """package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock poetry.lock uv.lock pdm.lock
    Pipfile.lock Cargo.lock go.sum Gemfile.lock composer.lock mix.lock pubspec.lock Podfile.lock packages.lock.json
    go.work.sum pixi.lock gradle.lockfile flake.lock conan.lock .terraform.lock.hcl""".split()  # noqa: SIM905 - a list of 24 quoted names reads worse
)
_VENDORED = file_kind(
    folders=r"vendor|node_modules|third[_-]party|bower_components|Godeps|_vendor|\.yarn/(?:releases|plugins)",
    any_case=False,
)
_SAMPLE = file_kind(
    folders="testdata|test-data|fixtures?|mocks?|__mocks__|examples?|samples?|docs?|benchmarks?|playground",
    other=r"[._-](?:stories|example|sample|dist|template)\.|\.ipynb$",
)
_PAGE = file_kind(suffixes="x?html?")
_CATALOG = file_kind(suffixes="pot?|xliff|xlf")
_LICENSE = file_kind(other=r"(?:^|/)(?:licen[cs]e|copying)[^/]*$", folders="licen[cs]es")
_STYLE = file_kind(suffixes="css|scss|sass|less")


@lru_cache(maxsize=65_536)
def is_test(path: str) -> bool:
    """Return whether a file is a test or a test helper, by the conventions of languages and test runners."""
    if is_prose(path):
        return False
    return any(form.search(path) for form in (_TEST_FOLDER, _TEST_NAME, _TEST_CLASS, _TEST_PROJECT))


def is_test_scope(name: str) -> bool:
    """Return whether a qualified name is inside a module or class such as `tests`."""
    return not {"test", "tests", "Tests"}.isdisjoint(name.split(".")[:-1])


@lru_cache(maxsize=65_536)
def is_prose(path: str) -> bool:
    """Return whether a file is written for people: documentation, change log, license, translations."""
    if _PROSE.search(path):
        return not _NO_PROSE.search(path)
    return bool(_DOCUMENT.search(path)) and not (is_code(path) or _DATA.search(path) or _MADE.search(path))


def is_code(path: str) -> bool:
    """Return whether a file is code, by its name."""
    return bool(filetype(path).folder or _CODE.search(path))


def is_generated(path: str) -> bool:
    """Return whether a file is generated source, by its name."""
    return bool(_MADE.search(path))


def is_lock(path: str) -> bool:
    """Return whether a file is a package manager's lock file, by its name."""
    return basename(path) in _LOCK_FILES


def is_output(path: str) -> bool:
    """Return whether a file is the output of a program: generated source, lock file, snapshot, patch, drawing."""
    return is_generated(path) or is_lock(path) or bool(_OUTPUT.search(path))


def is_settings(path: str) -> bool:
    """Return whether a file contains settings or data that a program reads by key."""
    return bool(_SETTINGS.search(path))


def is_page(path: str) -> bool:
    """Return whether a file is an HTML page, including templates and exports."""
    return bool(_PAGE.search(path))


def is_workflow(path: str) -> bool:
    """Return whether GitHub runs a file as a workflow."""
    return dirname(path) == ".github/workflows" and path.endswith((".yml", ".yaml"))


def is_catalog(path: str) -> bool:
    """Return whether a file is a catalog of messages, which a program fills."""
    return bool(_CATALOG.search(path))


def is_license(path: str) -> bool:
    """Return whether a file is the text of a license."""
    return bool(_LICENSE.search(path))


def is_style(path: str) -> bool:
    """Return whether a file is a style sheet."""
    return bool(_STYLE.search(path))


def is_sample(path: str) -> bool:
    """Return whether code is an example, fixture, notebook or documentation rather than the product."""
    return bool(_SAMPLE.search(path))


def vendored_folder(path: str) -> str | None:
    """Return the folder of vendored code that contains a path, or None."""
    match = _VENDORED.search(path)
    return path[: match.end()] if match else None


def is_vendored(path: str) -> bool:
    """Return whether a file was not written in this project: vendored code or the output of a program."""
    return vendored_folder(path) is not None or is_output(path)


def is_aside(path: str) -> bool:
    """Return whether a file is a test or a sample."""
    return is_test(path) or is_sample(path)


def is_product(path: str) -> bool:
    """Return whether a file belongs to the product: no test, sample or prose, and written in this project."""
    return not (is_aside(path) or is_prose(path) or is_vendored(path))


def name_of(raw: bytes) -> str:
    r"""Return the text of a path: itself where it is UTF-8, and never the same for two paths.

    A name that is not UTF-8 shows its bytes as `\xe9` and its backslashes as `\x5c`. So does a name that reads like an escape by itself.
    """
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return raw.replace(b"\\", b"\\x5c").decode("utf-8", "backslashreplace")
    return text.replace("\\", "\\x5c") if "\\x" in text and _NAME_ESCAPE.search(text) else text


def raw_name(path: str) -> bytes:
    """Return the raw path for a text from `name_of`."""
    return _RAW_ESCAPE.sub(lambda match: bytes.fromhex(match[1].decode()), path.encode("utf-8", "surrogateescape"))
