"""Read the requirements in mix.exs as text; nothing is run."""

import re
from collections.abc import Collection, Mapping

from deeprepo.impact.packages import Origin, Package, Requirement
from deeprepo.impact.text.tables import manifest_text

LANGUAGE = "elixir"
MANIFESTS = ("mix.exs",)
LOCKS = {"mix.lock": r'"NAME": \{:hex, :\w+, "([^"\n]+)"'}
# `{:quotes, "~> 1.2", only: :test}` or `{:quotes, github: "acme/quotes"}`; other pairs have no version or
# origin.
_ASKED = re.compile(
    r"\{\s*+:(\w++)\s*+,\s*+(?:\"([~<>=!][^\"\n]*+|\d[^\"\n]*+)\"|(?=(?:path|git|github|in_umbrella|hex|env|only|optional|override):))([^{}]*+)\}"
)
_OPTION = re.compile(r"\b(path|git|github|in_umbrella|tag|ref|branch):\s*+(?:\"([^\"\n]*+)\"|true\b)")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """Return (): packages are not read from mix.exs."""
    del manifests, paths
    return ()


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """Return the requirements in the lists of dependencies."""
    rows = []
    for path, source in sorted(manifests.items()):
        for match in _ASKED.finditer(manifest_text(source)):
            options = dict(_OPTION.findall(match[3]))
            is_near = options.keys() & {"path", "in_umbrella"}
            origin: Origin = "path" if is_near else "git" if options.keys() & {"git", "github"} else "registry"
            tag = options.get("tag") or options.get("ref") or ""
            named: dict[str, str] = {"path": options.get("path", ""), "git": tag or options.get("branch", "")}
            asked = named.get(origin, match[2] or "")
            rows.append(Requirement(LANGUAGE, match[1], asked, origin, path, fixed=bool(tag)))
    return tuple(rows)
