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
NAMED = re.compile(r"^[ \t]*\w+\.name[ \t]*=[ \t]*(?:['\"]|%q<)([\w.-]+)['\">]", re.MULTILINE)
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
    """The gems of a tree: what is below `lib` or the `require_paths` beside a gemspec, or below `app` of an engine."""
    del paths
    result = []
    for path, source in sorted(manifests.items()):
        text = manifest_text(source) if path.endswith(".gemspec") else ""
        if name := NAMED.search(text):
            folder, listed = posixpath.dirname(path), REQUIRE_PATHS.search(text)
            tops = re.findall(r"[\w./-]+", listed[1].replace("%w", "")) if listed else ["lib"]
            roots = tuple(posixpath.normpath(posixpath.join(folder, top)).removeprefix(".") for top in ("app", *tops))
            result.append(Package(LANGUAGE, name[1], folder, roots))
    return tuple(result)


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
        known_names = {match[1] for match in ASKED.finditer(text)} | {match[1] for match in NAMED.finditer(text)}
        names = {match[1] for match in LITERAL.finditer(text)}
        names |= {name for match in WORDS.finditer(text) for name in match[1].split()}
        result += [ManifestProblem(path, why)] if why else []
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
