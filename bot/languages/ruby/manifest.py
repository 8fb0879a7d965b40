"""Ruby's gems: gemspecs, Gemfile and Gemfile.lock. They are programs; what is written out in them is read, nothing is run."""

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence

from bot.languages.lexical import manifest_text, unread
from bot.text.lines import line_number
from bot.values.consumer import ManifestProblem, Origin, Package, Requirement

LANGUAGE = "ruby"
DECLARING = ("*.gemspec",)
MANIFESTS = (*DECLARING, "Gemfile", "gems.rb", "*.gemfile")
LOCKS = ("Gemfile.lock", "gems.locked")
PRIVATE = re.compile(r"_(?!_)")
REQUIRE_PATHS = re.compile(r"\.require_paths?\s*=\s*((?:%w)?[\[({][^\])}\n]{0,300}|[\"'][^\"'\n]{1,100})")
NAMED = re.compile(
    r"(?:^|[;{|(]|\bdo\b)[ \t]{0,40}\w{1,40}\.name(?:[ \t]{0,20}=(?![=~])|\()[ \t]{0,20}(?P<name>[^;}\n]{1,200})"
    r"|\bGem::Specification\.new[ \t]{0,20}\(?[ \t]{0,20}(?P<given>['\"][\w.-]{1,100}['\"]|(?!do\b)[A-Za-z_][\w:]{0,100})"
    r"[ \t]{0,20}(?:[,){]|do\b|$)",
    re.MULTILINE,
)
WRITTEN = re.compile(r"(?:['\"]|%q<)([\w.-]+)['\">](?:\.\w{1,20}!?)?[ \t)]*(?:#.*|\bif\b.*)?")
PARTLY = re.compile(r"\"((?:[\w.-]|#\{[^{}\n\"]{0,80}\}){1,100})\"(?:\.freeze)?[ \t]*+$", re.MULTILINE)
INSERTED = re.compile(r"#\{[^{}]{0,80}\}")
WORD = re.compile(r"(?:[A-Z]\w{0,80}::){0,8}(\w{1,80})[ \t)]*")
SET = re.compile(r"^[ \t]*(\w{1,80})[ \t]{0,20}=[ \t]{0,20}['\"]([\w.-]{1,200})['\"](?:\.freeze)?[ \t]*$", re.MULTILINE)
OF_FILE = re.compile(r"\bFile\.basename\b[^\n]{0,40}(?:__FILE__|__dir__)")
LITERAL = re.compile(r"(?<!require )(?<!require_relative )['\"]([\w.-]{1,100})['\"]")
WORDS = re.compile(r"%w[\[({<]([^\])}>]{0,2000})[\])}>]")
INCLUDED = re.compile(r"^[ \t]*eval_gemfile[ \t(]+['\"]([^'\"\n]{1,300})['\"]", re.MULTILINE)
ASKED = re.compile(
    r"(?:^|[;{|]|\b(?:do|then))[ \t]*(?:\w{1,40}\.add_(?:runtime_|development_)?dependency[ \t(]+|gem[ \t(]+)"
    r"(?:['\"]|%q<)([\w.-]+)['\">]([^\n]*(?:,[ \t]*\n[^\n]*){0,8})",
    re.MULTILINE,
)
VERSION = re.compile(r"['\"]([<>=~!]*[ \t]*\d[\w.]*)['\"]")
OPTION = re.compile(r":?(path|git|github|tag|ref|branch)\b[\"']?[ \t]*(?::|=>)[ \t]*['\"]([^'\"]*)['\"]")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The gems of a tree: what is below `lib` or the `require_paths` beside a gemspec, or below `app` of an engine.

    A gem whose name is not written out is called like its file, as is the habit.
    """
    del paths
    result = []
    for path, source in sorted(manifests.items()):
        text = manifest_text(source) if path.endswith(".gemspec") else ""
        name = _name(text) or (_stem(path) if _is_specification(text) else "")
        if name:
            folder, listed = posixpath.dirname(path), REQUIRE_PATHS.search(text)
            tops = re.findall(r"[\w./-]+", listed[1].replace("%w", "")) if listed else ["lib"]
            roots = tuple(posixpath.normpath(posixpath.join(folder, top)).removeprefix(".") for top in ("app", *tops))
            result.append(Package(LANGUAGE, name, folder, roots))
    return tuple(result)


def _stem(path: str) -> str:
    return posixpath.basename(path).removesuffix(".gemspec")


def _is_specification(text: str) -> bool:
    return "Gem::Specification" in text or NAMED.search(text) is not None


def _name(text: str) -> str:
    """The name of a gem where a gemspec writes it out, also as the value of a variable; else ""."""
    match = NAMED.search(text)
    value = (match["name"] or match["given"]).strip() if match else ""
    if literal := WRITTEN.fullmatch(value):
        return literal[1]
    word = WORD.fullmatch(value)
    values = {one[2] for one in SET.finditer(text) if word and one[1] == word[1]}
    return values.pop() if len(values) == 1 else ""


def _name_glob(text: str) -> str:
    """What is known of a name of which a program makes a part."""
    match = NAMED.search(text)
    value = PARTLY.match(text, match.start("name")) if match and match["name"] else None
    return INSERTED.sub("*", value[1]) if value else "*"


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What gemspecs and Gemfiles ask for."""
    result = []
    for path, source in sorted(manifests.items()):
        text = manifest_text(source)
        for match in ASKED.finditer(text):
            options = dict(OPTION.findall(match[2]))
            origin: Origin = (
                "path" if "path" in options else "git" if options.keys() & {"git", "github"} else "registry"
            )
            at = options.get("tag") or options.get("ref") or options.get("branch") or ""
            versions = ", ".join(one.replace(" ", "") for one in VERSION.findall(match[2]))
            asked = {"path": options.get("path", ""), "git": at}.get(origin, versions)
            line = line_number(text, match.start(1))
            fixed = bool(options.keys() & {"tag", "ref"})
            result.append(Requirement(LANGUAGE, match[1], asked, origin, path, line, fixed=fixed))
    return tuple(result)


def problems(manifests: Mapping[str, bytes]) -> tuple[ManifestProblem, ...]:
    """The files of which a part is not read, and names whose form is not understood: in a list, in a loop."""
    result = []
    for path, source in sorted(manifests.items()):
        text, why = manifest_text(source), unread(source)
        own = _name(text) if path.endswith(".gemspec") else ""
        known_names = {match[1] for match in ASKED.finditer(text)} | {own}
        names = {match[1] for match in LITERAL.finditer(text)}
        names |= {name for match in WORDS.finditer(text) for name in match[1].split()}
        result += [ManifestProblem(path, why)] if why else []
        if path.endswith(".gemspec") and not own and _is_specification(text) and not OF_FILE.search(text):
            why = "names its gem in a form that is not understood"
            result.append(ManifestProblem(path, why, _name_glob(text), is_name=True))
        result += [
            ManifestProblem(path, f"names {name} in a form that is not understood", name, is_form=True)
            for name in sorted(names - known_names)
            if re.search(r"\bgem\b|dependency", text)
        ]
    return tuple(result)


def included_paths(path: str, source: bytes) -> Sequence[str]:
    """The files that `eval_gemfile` names."""
    folder = posixpath.dirname(path)
    return [posixpath.normpath(posixpath.join(folder, match[1])) for match in INCLUDED.finditer(manifest_text(source))]


def locked_version(path: str, source: bytes, name: str) -> str:
    """The version that Gemfile.lock names."""
    del path
    match = re.search(rf"(?m)^    {re.escape(name)} \(([^)\n]+)\)", source.decode("utf-8", "replace"))
    return match[1] if match else ""


def links(packages: Sequence[Package], folders: Sequence[str], aliases: Mapping[str, str]) -> Mapping[str, bytes]:
    """Every `lib` is on the load path."""
    del packages, folders, aliases
    return {}
