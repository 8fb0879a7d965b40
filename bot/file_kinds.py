"""Classify files by what a review does with them: locks, images, workflows' actions, files that decide nothing."""

import difflib
import re
from collections.abc import Iterable
from functools import lru_cache
from posixpath import basename

from deeprepo.impact.text.paths import (
    DUMPS,
    file_kind,
    is_code,
    is_generated,
    is_output,
    is_prose,
    is_sample,
    is_style,
    is_test,
    vendored_folder,
)

COMPARED = 200  # characters of a path that is compared with others, which takes quadratic time
DUMP = 500_000  # bytes of a file without code
_PACKED = (".min.js", ".min.css", ".map", ".svg")
_TRANSLATIONS = (
    ".json",
    ".yml",
    ".yaml",
    ".po",
    ".pot",
    ".properties",
    ".ftl",
    ".xlf",
    ".xliff",
    ".strings",
    ".arb",
    ".resx",
)
_LOCALES = re.compile(r"(?:^|/)(?:locales?|langs?|languages?|i18n|l10n|translations?)/", re.IGNORECASE)
_LOCK_FILES = frozenset(
    """package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock poetry.lock uv.lock pdm.lock
    Pipfile.lock Cargo.lock go.sum Gemfile.lock composer.lock mix.lock pubspec.lock Podfile.lock packages.lock.json
    go.work.sum pixi.lock gradle.lockfile flake.lock conan.lock .terraform.lock.hcl""".split()  # noqa: SIM905 - a list of 24 quoted names reads worse
)
_CI = file_kind(
    folders=r"\.github|\.gitlab|\.circleci|\.buildkite|\.azure-pipelines|\.ci",
    names=r"\.?(?:gitlab-ci|azure-pipelines|travis|appveyor|pre-commit-config|codecov)\.ya?ml|tox\.ini|noxfile\.py|Jenkinsfile|mkdocs\.ya?ml|\.[\w-]+\.ya?ml",
)
_WRAPPER = file_kind(
    names=r"(?:mvnw|gradlew|configure|bootstrap|install-sh|ltmain\.sh|config\.(?:guess|sub)|autogen\.sh)(?:\.(?:cmd|bat|sh))?",
    any_case=False,
)
_SUMS = file_kind(suffixes=r"sum|sha\d*|md5|asc|sig|checksums?", names=r"(?:checksums?|SHA\d*SUMS)(?:\.txt)?")
# JSON for settings or packages; other JSON is data.
_JSON_SETTINGS = file_kind(names=r"(?:package|tsconfig|jsconfig|composer|deno|turbo|nx)[\w.-]*\.json", any_case=False)
# Kinds of files that are irrelevant to a change, most certain first.
_SILENT_KINDS = {"checksums": _SUMS, "wrapper": _WRAPPER, "CI": _CI, "dump": DUMPS}


def _silent_kind(path: str) -> str:
    """Return the kind of a file that is irrelevant to a change by its name, most certain kinds first."""
    if vendored_folder(path):
        return "vendored"
    if is_output(path):
        return "made" if is_generated(path) else "output"
    if is_style(path):
        return "style"
    return next((kind for kind, form in _SILENT_KINDS.items() if form.search(path)), "")


def is_lock(path: str) -> bool:
    """Return whether a file is a package manager's lock file, by its name."""
    return basename(path) in _LOCK_FILES


def is_excluded_from_search(path: str, size: int) -> bool:
    """Return whether a search for names skips a file: translations, packed or locked files, large dumps."""
    if is_lock(path) or path.endswith(_PACKED):
        return True
    return not is_code(path) and (size > DUMP or (path.endswith(_TRANSLATIONS) and _LOCALES.search(path) is not None))


def is_action(path: str) -> bool:
    """Return whether a file defines a GitHub action."""
    return basename(path) in ("action.yml", "action.yaml")


def is_dockerfile(path: str) -> bool:
    """Return whether a file defines how an image is built."""
    name = basename(path).lower()
    return name in ("dockerfile", "containerfile") or name.endswith(".dockerfile")


@lru_cache(maxsize=65_536)
def irrelevant_kind(path: str) -> str:
    """Return the kind of a file that is irrelevant unless the change is about it, or "".

    The kinds are output such as locks, checksums, vendored code, styles, samples, data dumps, build scripts,
    prose and CI.
    """
    kind = _silent_kind(path)
    if kind or is_test(path):
        return kind
    if is_prose(path):
        return "prose"
    if path.endswith(".json") and not _JSON_SETTINGS.search(path):
        return "dump"
    return "sample" if is_sample(path) else ""


def nearest(path: str, candidates: Iterable[str]) -> str:
    """Return similar paths, as the end of a sentence."""
    paths = list(candidates)
    name = path.rpartition("/")[2]
    near = [p for p in paths if p.rpartition("/")[2] == name][:3]
    if not near and len(path) <= COMPARED:
        near = difflib.get_close_matches(path, [p for p in paths if len(p) <= COMPARED][:5_000], 3, 0.75)
    return f"; did you mean {', '.join(near)}?" if near else ""
