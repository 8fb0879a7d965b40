"""Which file depends on which, as the tools of each language see it: grimp, TypeScript, go/parser, javac with jdeps, gcc -H.

Each tool reads a work tree that is made from the clone's HEAD in a scratch folder. Its answer is kept there, by commit. What a tool
cannot see and the source plainly says is found by `truth_plain`, which shares no code with the product.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

HERE = Path(__file__).parent
READ_TOO = ("package.json", "tsconfig*.json", "*.hpp", "*.cpp")
Edges = dict[str, set[str]]  # imported file (Go: folder of the package, with a slash) -> importing files


@dataclass(frozen=True, slots=True)
class Subject:
    """A repository and how its truth is found."""

    name: str
    clone: str  # owner/name
    language: str
    suffixes: tuple[str, ...]
    prefix: str = ""  # only files below it are scored
    options: Mapping[str, str] = field(default_factory=dict)


SUBJECTS = (
    Subject("scrapy", "scrapy/scrapy", "Python", (".py",), options={"packages": "scrapy,tests"}),
    Subject("celery", "celery/celery", "Python", (".py",), options={"packages": "celery,t"}),
    Subject("saleor", "saleor/saleor", "Python", (".py",), options={"packages": "saleor"}),
    Subject("vite", "vitejs/vite", "TypeScript", (".ts", ".tsx", ".mts", ".js", ".mjs", ".jsx")),
    Subject(
        "typescript-eslint",
        "typescript-eslint/typescript-eslint",
        "TypeScript",
        (".ts", ".tsx", ".mts", ".js", ".mjs", ".jsx"),
    ),
    Subject("gin", "gin-gonic/gin", "Go", (".go",), options={"module": "github.com/gin-gonic/gin"}),
    Subject(
        "prometheus", "prometheus/prometheus", "Go", (".go",), options={"module": "github.com/prometheus/prometheus"}
    ),
    Subject("gson", "google/gson", "Java", (".java",), "gson/src/main/java/"),
    Subject("redis", "redis/redis", "C", (".c", ".h"), "src/"),
)


@dataclass(frozen=True, slots=True)
class Truth:
    """What a tool saw; `absent` says why there is nothing."""

    edges: Edges = field(default_factory=dict)
    known: frozenset[str] | None = None  # files that the tool looked at; None: all
    absent: str = ""


def told(subject: Subject, clone: Path, head: str, scratch: Path, tools: Path) -> Truth:
    """The truth of one repository at its head, from the scratch folder where it was found before."""
    kept = scratch / f"{subject.name}-{head[:12]}.json"
    if not kept.exists():
        tree = scratch / f"{subject.name}-{head[:12]}"
        if not tree.exists():
            _work_tree(clone, head, tree, [*(f"*{suffix}" for suffix in subject.suffixes), *READ_TOO])
        absent = TOOLS[subject.language](subject, tree.resolve(), kept, tools)
        if absent:
            return Truth(absent=absent)
    document = json.loads(kept.read_text())
    edges: Edges = {}
    for importer, imported in document["edges"]:
        edges.setdefault(imported, set()).add(importer)
    return Truth(edges, frozenset(document["known"]) if document["known"] is not None else None)


def tree_of(subject: Subject, head: str, scratch: Path) -> Path:
    """The work tree that the tools read."""
    return scratch / f"{subject.name}-{head[:12]}"


def _work_tree(clone: Path, head: str, tree: Path, wanted: Sequence[str]) -> None:
    """The files that the tools read. No others: clones may lack large objects."""
    tree.mkdir(parents=True)
    env = {
        **os.environ,
        "GIT_DIR": str(clone),
        "GIT_INDEX_FILE": str(tree.resolve()) + ".index",
        "GIT_WORK_TREE": str(tree),
    }
    subprocess.run(["git", "read-tree", head], check=True, env=env)
    rows = subprocess.run(["git", "ls-files", "-s", "-z"], check=True, capture_output=True, env=env).stdout.split(b"\0")
    files = [row.partition(b"\t")[2] for row in rows if row.startswith(b"100")]
    kept = [name for name in files if any(fnmatch(os.fsdecode(name).rpartition("/")[2], one) for one in wanted)]
    command = ["git", "checkout-index", "-z", "--stdin", f"--prefix={tree.resolve()}/"]
    subprocess.run(command, input=b"\0".join(kept), check=True, env=env)


def _run(
    *command: str, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        errors="replace",
        env={**os.environ, **(env or {})},
        cwd=cwd,
    )


def _python(subject: Subject, tree: Path, out: Path, tools: Path) -> str:
    env = {"PYTHONPATH": str(tools / "python")}
    if _run(sys.executable, "-c", "import grimp", env=env).returncode:
        return "grimp is not installed"
    done = _run(
        sys.executable, str(HERE / "truth_python.py"), str(tree), str(out), subject.options["packages"], env=env
    )
    return f"grimp failed: {done.stderr[-200:]}" if done.returncode else ""


def _typescript(subject: Subject, tree: Path, out: Path, tools: Path) -> str:
    del subject
    modules = tools / "node" / "node_modules"
    if not shutil.which("node") or not (modules / "typescript").is_dir():
        return "node or the package typescript is not installed"
    done = _run("node", str(HERE / "truth_ts.cjs"), str(tree), str(out), env={"NODE_PATH": str(modules)})
    return f"node failed: {done.stderr[-200:]}" if done.returncode else ""


def _go(subject: Subject, tree: Path, out: Path, tools: Path) -> str:
    del tools
    if not shutil.which("go"):
        return "go is not installed"
    env = {"GO111MODULE": "off", "GOFLAGS": "", "GOTOOLCHAIN": "local"}
    done = _run("go", "run", str(HERE / "truth_go.go"), str(tree), subject.options["module"], str(out), env=env)
    return f"go failed: {done.stderr[-200:]}" if done.returncode else ""


def _java(subject: Subject, tree: Path, out: Path, tools: Path) -> str:
    """Compile the sources, annotations of other projects declared empty, and ask jdeps which class needs which."""
    del tools
    if not shutil.which("javac") or not shutil.which("jdeps"):
        return "a JDK is not installed"
    classes, source = out.with_suffix(".classes"), tree / subject.prefix
    below = [source, *source.parent.glob("java-templates")]
    files = [str(path) for one in below for path in sorted(one.rglob("*.java")) if path.name != "module-info.java"]
    empty = _annotations(files, out.with_suffix(".stubs"))
    compiled = _run("javac", "-nowarn", "-proc:none", "-d", str(classes), *files, *empty)
    listed = _run("jdeps", "-v", "-filter:none", str(classes)).stdout if not compiled.returncode else ""
    if not listed:
        return f"javac failed: {compiled.stderr[-200:]}"

    def path(name: str) -> str | None:
        found = f"{subject.prefix}{name.partition('$')[0].replace('.', '/')}.java"
        return found if (tree / found).exists() else None

    edges = {(path(m[1]), path(m[2])) for m in re.finditer(r"^\s+(\S+)\s+->\s+(\S+)", listed, re.MULTILINE)}
    kept = sorted((a, b) for a, b in edges if a and b and a != b)
    out.write_text(json.dumps({"edges": kept, "known": sorted({path for edge in kept for path in edge})}))
    return ""


def _annotations(files: list[str], folder: Path) -> list[str]:
    written = (Path(path).read_text() for path in files)
    names = {name for text in written for name in re.findall(r"\bcom\.google\.errorprone\.annotations\.[A-Z]\w*", text)}
    made = []
    for name in sorted(names):
        package, _, short = name.rpartition(".")
        path = folder / f"{name.replace('.', '/')}.java"
        path.parent.mkdir(parents=True, exist_ok=True)
        members = 'String value() default ""; String replacement() default ""; String[] imports() default {};'
        path.write_text(f"package {package}; public @interface {short} {{ {members} }}\n")
        made.append(str(path))
    return made


def _c(subject: Subject, tree: Path, out: Path, tools: Path) -> str:
    """The headers that gcc opens directly from each file."""
    del tools
    if not shutil.which("gcc"):
        return "gcc is not installed"
    source = tree / subject.prefix
    files = sorted(path for path in source.rglob("*") if path.suffix in subject.suffixes and path.is_file())
    folders = [source, *(path for path in sorted((tree / "deps").glob("*")) if path.is_dir()), tree / "deps/lua/src"]
    flags = [f"-I{folder}" for folder in folders]
    edges: set[tuple[str, str]] = set()
    stopped = 0
    for file in files:
        done = _run(
            "gcc",
            "-fsyntax-only",
            "-w",
            "-H",
            "-D_GNU_SOURCE",
            "-std=gnu11",
            "-x",
            "c",
            *flags,
            str(file),
            cwd=file.parent,
        )
        stopped += "fatal error" in done.stderr
        for found in re.findall(r"^\. (.+)$", done.stderr, re.MULTILINE):
            path = (file.parent / found).resolve()
            if path.is_relative_to(tree):
                edges.add((str(file.relative_to(tree)), str(path.relative_to(tree))))
    known = [str(path.relative_to(tree)) for path in files]
    out.write_text(json.dumps({"edges": sorted(edges), "known": known, "stopped": stopped}))
    return ""


TOOLS: Mapping[str, Callable[[Subject, Path, Path, Path], str]] = {
    "Python": _python,
    "TypeScript": _typescript,
    "Go": _go,
    "Java": _java,
    "C": _c,
}
