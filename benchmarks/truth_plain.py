"""Pairs that are real although the tool did not list them: told from the source's own words, without the product's code."""

import json
import re
from pathlib import Path

from benchmarks.truth import Subject


def plainly(subject: Subject, tree: Path, importer: str, imported: str) -> str:
    """Why a pair is real although the tool did not list it, told from the text alone; empty where the text does not say so."""
    text = (tree / importer).read_text(errors="replace")
    if subject.language == "TypeScript":
        return _by_package(tree, text, imported)
    if subject.language == "Java":
        return _by_name(text, importer, imported)
    if subject.language == "C":
        plain = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)
        included = re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', plain, re.MULTILINE)
        fits = any(imported == one or imported.endswith(f"/{one.lstrip('./')}") for one in included)
        return (
            "the include is written; gcc does not open a guarded header twice, nor what a macro switches off"
            if fits
            else ""
        )
    return ""


def _by_package(tree: Path, text: str, imported: str) -> str:
    """`from "name"` where `name` is the package of the tree around the imported file, which is its entry's source."""
    folder = (tree / imported).parent
    while folder != tree and not (folder / "package.json").exists():
        folder = folder.parent
    try:
        manifest = json.loads((folder / "package.json").read_text())
    except (OSError, ValueError):
        return ""
    name, rest = manifest.get("name"), (tree / imported).relative_to(folder).as_posix()
    if not name:
        return ""
    stem = re.sub(r"(\.d)?\.[cm]?[jt]sx?$", "", rest)
    written = json.dumps([manifest.get(key) for key in ("exports", "main", "module", "types", "imports")])
    sources = {
        re.sub(r"(\.d)?\.[cm]?[jt]sx?$", "", path).removeprefix("./") for path in re.findall(r'"([^"]+)"', written)
    }
    built = {stem, *(re.sub(r"^src/", f"{out}/", stem) for out in ("dist", "lib", "build", "out"))}
    specs = re.findall(r"""(?:from|import|require|mock|importActual)\s*(?:<[^>]*>)?\(?\s*["'`]([^"'`\n]+)["'`]""", text)
    below = {
        re.sub(r"\.[cm]?[jt]sx?$", "", spec)[len(name) + 1 :]
        for spec in specs
        if spec == name or spec.startswith(f"{name}/")
    }
    entry = "" in below and (bool(sources & built) or stem in ("src/index", "index"))
    by_path = any(
        part and stem in (part, f"src/{part}", f"{part}/index", f"src/{part}/index", part.replace("dist/", "src/"))
        for part in below
    )
    listed = any(
        spec[len(name) :] and f'".{spec[len(name) :]}"' in json.dumps(manifest.get("exports"))
        for spec in specs
        if spec.startswith(name)
    ) and bool(sources & built)
    return (
        "the package's name stands in an import and this is its source; the package is not built"
        if entry or by_path or listed
        else ""
    )


def _by_name(text: str, importer: str, imported: str) -> str:
    """The type is imported by name, or is named in the same package: javadoc and constants leave no trace in a class file."""
    name = imported.rpartition("/")[2].removesuffix(".java")
    package = imported.partition("/java/")[2].rpartition("/")[0].replace("/", ".")
    written = re.search(rf"^import (static )?{re.escape(package)}\.({name}\b|\*)", text, re.MULTILINE)
    beside = importer.rpartition("/")[0] == imported.rpartition("/")[0]
    named = re.search(rf"\b{name}\b", re.sub(r"//[^\n]*|/\*(?!\*).*?\*/", "", text, flags=re.DOTALL))
    return "the type is imported or named; only javadoc or a constant uses it" if named and (written or beside) else ""
