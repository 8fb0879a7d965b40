"""What installs the packages that the tests of a repository need, as its manifests and lock files tell.

Only proposed: it runs if the owner's section asks for the network, or has it as `prepare`. The programs of a language that a machine may
lack (uv, pnpm) are then fetched into the home of the sandbox first.
"""

import configparser
import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator

from bot.review.running.layout import PACKAGE_FILES, REQUIREMENTS, PackageLayout, above, below, within
from bot.text.paths import is_sample

MOST = 12  # packages that are prepared
TESTS, DEVELOPMENT = frozenset(["test", "tests", "testing"]), frozenset(["dev", "develop", "development"])
PARTS = re.compile(r"[/_.-]+")
WORD = re.compile(r"\{\[([^\]\s]{1,80})\](\w{1,40})\}")
# What asks git for the version of a project, and the variable that answers instead: the sandbox has no history.
VERSIONS = {
    re.compile(r"setuptools[-_]scm|hatch-vcs"): "SETUPTOOLS_SCM_PRETEND_VERSION",
    re.compile(r"\bpbr\b"): "PBR_VERSION",
    re.compile(r"pdm-backend|pdm-pep517"): "PDM_BUILD_SCM_VERSION",
    re.compile(r"poetry-dynamic-versioning"): "POETRY_DYNAMIC_VERSIONING_BYPASS",
}
VENV = "python3 -m venv .venv"
# Packages that fetch a browser or another large program while they are installed do not: it comes from elsewhere, and no unit test needs it.
NO_DOWNLOADS = {
    "PUPPETEER_SKIP_DOWNLOAD": "1", "PUPPETEER_SKIP_CHROMIUM_DOWNLOAD": "1", "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1",
    "CYPRESS_INSTALL_BINARY": "0", "ELECTRON_SKIP_BINARY_DOWNLOAD": "1", "COREPACK_ENABLE_DOWNLOAD_PROMPT": "0",
}  # fmt: skip
SCRIPTS = frozenset(
    ["preinstall", "install", "postinstall", "prepare"]
)  # of a package.json, that run when it is installed
MANAGER = re.compile(r"^(npm|pnpm|yarn|bun)@(\d[\w.-]{0,40})")


def proposal(layout: PackageLayout) -> str:
    """Return the command that installs what tests need, from the top folder; "" if nothing declares anything."""
    rows = []
    for language, install in INSTALLS.items():
        folders: list[str] = []
        for folder in layout.folders(language):
            is_inside = any(one in folders for one in above(folder)) if folder else False
            if is_inside and not _own_lock(layout, language, folder):
                continue
            if command := install(layout, folder):
                folders.append(folder)
                rows.append((folder, command))
    return " && ".join(
        f"(cd {shlex.quote(folder)} && {command})" if folder else command for folder, command in rows[:MOST]
    )


def _own_lock(layout: PackageLayout, language: str, folder: str) -> bool:
    """Whether a package within another is installed by itself: it has a lock file of its own, and the other one no workspace."""
    if language == "python" and any(
        within(layout.table(one, "pyproject.toml"), "tool", "uv", "workspace") for one in above(folder)
    ):
        return False
    return PACKAGE_FILES[language].nests and layout.has(folder, *PACKAGE_FILES[language].locks)


def _for_tests(names: Iterable[str]) -> list[str]:
    """Those of some names that are about tests; about development if there are none."""
    words = {
        name: {part.lower() for part in PARTS.split(name)} - {"requirements", "txt", "deps", "unit", ""}
        for name in names
    }
    return [one for one in words if words[one] and words[one] <= TESTS] or [
        one for one in words if words[one] and words[one] <= DEVELOPMENT
    ]


def _fetched(program: str, package: str, *, by: str) -> str:
    """The command that makes sure of a program: the machine's own, or one in the home of the sandbox."""
    how = (
        f"npm install --silent --global --prefix ~/.local {package}"
        if by == "npm"
        else f"python3 -m venv ~/.local && ~/.local/bin/pip install -q {package}"
    )
    return f"{{ command -v {program} || {{ {how}; }}; }} >/dev/null"


def _python(layout: PackageLayout, folder: str) -> str:
    project = layout.table(folder, "pyproject.toml")
    extras = _for_tests(within(project, "project", "optional-dependencies"))
    groups = _for_tests(within(project, "dependency-groups"))
    texts = "\n".join(layout.text(folder, name) for name in ("pyproject.toml", "setup.cfg", "setup.py"))
    variables = [f"{name}=99.0" for pattern, name in VERSIONS.items() if pattern.search(texts)]
    version = f"export {' '.join(variables)} && " if variables else ""
    if layout.has(folder, "uv.lock"):
        words = ["uv sync --frozen", *(["--all-packages"] if within(project, "tool", "uv", "workspace") else [])]
        words += [
            *(f"--extra {shlex.quote(name)}" for name in extras),
            *(f"--group {shlex.quote(name)}" for name in groups),
        ]
        more = "" if 'name = "pytest"' in layout.text(folder, "uv.lock") else " && uv pip install -q pytest"
        return f"{version}{_fetched('uv', 'uv', by='pip')} && {' '.join(words)}{more}"
    if layout.has(folder, "poetry.lock"):
        poetry_extras = _for_tests(within(project, "tool", "poetry", "extras"))
        groups = _for_tests(within(project, "tool", "poetry", "group"))
        optional = [name for name in groups if within(project, "tool", "poetry", "group", name).get("optional")]
        words = [
            *(f"--extras {shlex.quote(name)}" for name in dict.fromkeys([*extras, *poetry_extras])),
            *(f"--with {shlex.quote(name)}" for name in optional),
        ]
        return f"{version}{_fetched('poetry', 'poetry', by='pip')} && {' '.join(['POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction', *words])}"
    if layout.has(folder, "pdm.lock"):
        words = [f"-G {shlex.quote(name)}" for name in extras]
        return f"{version}{_fetched('pdm', 'pdm', by='pip')} && {VENV} && {' '.join(['pdm install --frozen-lockfile', *words])}"
    if layout.has(folder, "Pipfile.lock"):
        return f"{_fetched('pipenv', 'pipenv', by='pip')} && PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev"
    return version + _pip(layout, folder, extras, groups)


def _pip(layout: PackageLayout, folder: str, extras: list[str], groups: list[str]) -> str:
    """The command of pip: the project itself with its extras and groups for tests, its requirements files, and pytest."""
    words: list[str] = []
    settings = layout.settings(folder, "setup.cfg")
    if not extras and settings.has_section("options.extras_require"):
        extras = _for_tests(settings["options.extras_require"])
    if _is_built(layout, folder):
        words.append(f"-e {shlex.quote(f'.[{comma}]')}" if (comma := ",".join(extras)) else "-e .")
    plain, further = _requirements(layout, folder)
    words += [f"-r {shlex.quote(posixpath.relpath(path, folder or '.'))}" for path in (*plain, *further)]
    words += [f"--group {shlex.quote(name)}" for name in groups]
    if not (extras or groups or further):
        words += _tox(layout, folder)
    newer = " && .venv/bin/pip install -q -U pip" if groups else ""  # groups came with pip 25.1
    return f"{VENV}{newer} && .venv/bin/pip install -q {' '.join(dict.fromkeys([*words, 'pytest']))}"


def _is_built(layout: PackageLayout, folder: str) -> bool:
    """Whether a folder is a project that can be installed: settings of tools alone are none."""
    project = layout.table(folder, "pyproject.toml")
    is_declared = bool({"project", "build-system"} & project.keys()) or "poetry" in within(project, "tool")
    return is_declared or layout.has(folder, "setup.py") or layout.settings(folder, "setup.cfg").has_section("metadata")


def _requirements(layout: PackageLayout, folder: str) -> tuple[list[str], list[str]]:
    """The requirements files of a package: the plain one, and those for tests."""
    inside = f"{folder}/" if folder else ""
    files = [
        path.removeprefix(inside)
        for path in sorted(layout.texts)
        if REQUIREMENTS.search(path) and path.startswith(inside) and path.endswith(".txt")
    ]
    near = [path for path in files if path.count("/") <= 1 and not is_sample(path)]
    plain = [path for path in near if path == "requirements.txt"]
    return [inside + path for path in plain], [inside + path for path in _for_tests(near)]


def _tox(layout: PackageLayout, folder: str) -> Iterator[str]:
    """What tox installs for tests: the words of `deps`, those of another section with them; no line that is for some environments."""
    settings = layout.settings(folder, "tox.ini")

    def words(text: str, depth: int) -> Iterator[str]:
        for line in text.splitlines():
            row = line.partition(" #")[0].strip()
            reference = WORD.fullmatch(row)
            if reference and depth:
                yield from words(_option(settings, reference[1], reference[2]), depth - 1)
            elif row and not row.startswith("#") and not re.search(r"[{}]|:\s", row):
                file = re.fullmatch(r"-r\s*([\w./-]+)", row)
                yield f"-r {shlex.quote(file[1])}" if file else shlex.quote(row if ";" in row else row.replace(" ", ""))

    yield from words(_option(settings, "testenv", "deps").replace("{toxinidir}/", ""), 3)


def _option(settings: configparser.ConfigParser, section: str, name: str) -> str:
    return settings.get(section, name, fallback="")


def _web(layout: PackageLayout, folder: str) -> str:
    """The command of the package manager; in an empty repository of git if the package has scripts for installs, which set up hooks."""
    command = _web_packages(layout, folder)
    has_script = not SCRIPTS.isdisjoint(within(layout.table(folder, "package.json"), "scripts"))
    return f"{{ git init -q || true; }} && {command}" if command and has_script else command


def _web_packages(layout: PackageLayout, folder: str) -> str:
    """The command of the manager whose lock file there is; without one, npm's that makes one."""
    table = layout.table(folder, "package.json")
    match = MANAGER.match(str(table.get("packageManager", "")))
    manager, version = (match[1], match[2]) if match else ("", "")
    if layout.has(folder, "pnpm-lock.yaml"):
        package = f"pnpm@{version}" if manager == "pnpm" else f"pnpm@{_pnpm(layout.text(folder, 'pnpm-lock.yaml'))}"
        return f"{_fetched('pnpm', package, by='npm')} && pnpm install --frozen-lockfile"
    if layout.has(folder, "yarn.lock"):
        if "__metadata:" in layout.text(folder, "yarn.lock")[:400] or layout.has(folder, ".yarnrc.yml"):
            package = f"@yarnpkg/cli-dist@{version or '4'}"
            return f"{_fetched('yarn', package, by='npm')} && YARN_NODE_LINKER=node-modules yarn install --immutable"
        return f"{_fetched('yarn', 'yarn@1', by='npm')} && yarn install --frozen-lockfile"
    if layout.has(folder, "bun.lock", "bun.lockb"):
        return f"{_fetched('bun', f'bun@{version}' if manager == 'bun' else 'bun', by='npm')} && bun install --frozen-lockfile"
    if layout.has(folder, "package-lock.json", "npm-shrinkwrap.json"):
        return "npm ci --no-audit --no-fund"
    depends = any(within(table, name) for name in ("dependencies", "devDependencies", "optionalDependencies"))
    return "npm install --no-audit --no-fund" if depends or table.get("workspaces") else ""


def _pnpm(lock: str) -> str:
    """The newest version of pnpm that reads a lock file of this form."""
    form = re.search(r"^lockfileVersion: '?(\d+)", lock, re.MULTILINE)
    return {"5": "7", "6": "8", "9": "10"}.get(form[1] if form else "", "10")


def _go(layout: PackageLayout, folder: str) -> str:
    text = layout.text(folder, "go.mod")
    return "go mod download" if "require" in text and not layout.has(below(folder, "vendor"), "modules.txt") else ""


def _rust(layout: PackageLayout, folder: str) -> str:
    return (
        "cargo fetch --locked"
        if layout.has(folder, "Cargo.lock")
        else "cargo fetch"
        if layout.has(folder, "Cargo.toml")
        else ""
    )


def _jvm(layout: PackageLayout, folder: str) -> str:
    if layout.has(folder, "pom.xml"):
        program = "./mvnw" if layout.has(folder, "mvnw") else "mvn"
        if "<modules>" in layout.text(folder, "pom.xml"):  # a module is found by the others once it is installed
            return f"{program} -q -B -DskipTests install dependency:go-offline"
        return f"{program} -q -B dependency:go-offline test-compile"
    program = "./gradlew" if layout.has(folder, "gradlew") else "gradle"
    return f"{program} --no-daemon testClasses" if layout.has(folder, "build.gradle", "build.gradle.kts") else ""


def _ruby(layout: PackageLayout, folder: str) -> str:
    return "bundle config set --local path vendor/bundle && bundle install" if layout.has(folder, "Gemfile") else ""


def _php(layout: PackageLayout, folder: str) -> str:
    return "composer install --no-interaction --no-progress" if layout.has(folder, "composer.json") else ""


def _csharp(layout: PackageLayout, folder: str) -> str:
    return "dotnet restore" if layout.names.get(folder) else ""


INSTALLS = {
    "python": _python, "web": _web, "go": _go, "rust": _rust, "jvm": _jvm, "ruby": _ruby, "php": _php, "csharp": _csharp,
}  # fmt: skip
