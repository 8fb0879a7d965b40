"""Read GitHub workflows and actions: jobs, steps, inputs, outputs, secrets and local calls."""

import posixpath
import re
from typing import Any

from deeprepo.impact.declarations import ACTIONS, shell
from deeprepo.impact.declarations.reading import CallSite, DataReading, Paths, Scope, beside
from deeprepo.impact.declarations.yaml_lines import LinedText, at, load, rows, scalars, texts

FOLDER = ".github/workflows"
_EXPRESSION = re.compile(r"\$\{\{((?:[^}]|\}(?!\}))*+)")
_TEXT, _INDEX = re.compile(r"'(?:[^']|'')*+'?"), re.compile(r"\[[ ]*+'([\w-]++)'[ ]*+\]")
_REFERENCE = re.compile(
    r"(?<![\w.-])(?:(?:github\.event\.)?(?P<input>inputs)|(?P<root>needs|steps|jobs))\.(?P<name>[a-z_][\w-]*+)"
    r"(?:\.outputs\.(?P<output>[\w-]++))?"
)
_KINDS = {"needs": "need", "steps": "step"}
_OUTPUTS = {"needs": "job output", "steps": "action output", "jobs": "job output"}


def read(reading: DataReading, text: str, paths: Paths) -> None:
    """Add what a workflow or action declares and uses. Raises `UnreadableDataError`."""
    root, path = load(text), reading.path
    if posixpath.basename(path) in ACTIONS and not path.startswith(f"{FOLDER}/"):
        _action(reading, root, paths)
    else:
        _workflow(reading, root, paths)


def _declare(reading: DataReading, kind: str, place: str, declared: list[tuple[LinedText, Any]]) -> None:
    """Add names in lower case, as GitHub compares them."""
    reading.scopes.add(Scope(kind, place))
    for name, row in declared:
        is_required = at(row, "required") == "true" and not at(row, "default")
        reading.declare(Scope(kind, place), name.lower(), name.line, is_required=is_required)


def _workflow(reading: DataReading, root: object, paths: Paths) -> None:
    path, call = reading.path, at(root, "on", "workflow_call")
    _declare(reading, "input", path, [*rows(call, "inputs"), *rows(root, "on", "workflow_dispatch", "inputs")])
    for kind, key in (("workflow input", "inputs"), ("secret", "secrets"), ("workflow output", "outputs")):
        _declare(reading, kind, path, rows(call, key))
    _declare(reading, "job", path, [(name, None) for name, _ in rows(root, "jobs")])
    _expressions(reading, at(call, "outputs"), "")
    for key, value in rows(root):
        if key not in ("jobs", "on"):
            _expressions(reading, value, "")
    for name, job in rows(root, "jobs"):
        _job(reading, name.lower(), job, at(root, "defaults", "run", "working-directory"), paths)


def _job(reading: DataReading, name: str, job: object, folder: object, paths: Paths) -> None:
    place = f"{reading.path}#{name}"
    needs = texts(at(job, "needs"))
    _declare(reading, "need", place, [(one, None) for one in needs])
    for one in needs:
        reading.use(Scope("job", reading.path), one.lower(), one.line)
    _declare(reading, "job output", place, rows(job, "outputs"))
    if isinstance(callee := at(job, "uses"), LinedText):
        _called_workflow(reading, name, callee, job, paths)
    _steps(reading, place, at(job, "steps"), at(job, "defaults", "run", "working-directory") or folder or "", paths)
    _expressions(reading, job, place)


def _called_workflow(reading: DataReading, name: str, callee: LinedText, job: object, paths: Paths) -> None:
    """Add a job that calls a reusable workflow, whose outputs it has."""
    outputs = Scope("job output", f"{reading.path}#{name}")
    target = beside("", callee) if callee.startswith("./") else None
    if target is None:
        reading.doubts.add(outputs)
        return
    reading.aliases[outputs] = Scope("workflow output", target)
    reading.scopes.add(Scope("workflow", ""))
    reading.use(Scope("workflow", ""), target, callee.line)
    if target not in paths:
        return
    reading.declare(Scope("workflow", ""), target, 1)
    for kind, key in (("workflow input", "with"), ("secret", "secrets")):
        scope, given = Scope(kind, target), rows(job, key)
        for one, _ in given:
            reading.use(scope, one.lower(), one.line)
        if not isinstance(at(job, key), LinedText):  # `inherit` provides all
            names = frozenset(one.lower() for one, _ in given)
            reading.calls.append(CallSite(scope, names, reading.path, callee.line, f"{reading.path} {name} {key}"))


def _action(reading: DataReading, root: object, paths: Paths) -> None:
    path = reading.path
    _declare(reading, "input", path, rows(root, "inputs"))
    _declare(reading, "action input", path, [(name, None) for name, _ in rows(root, "inputs")])
    if at(root, "runs", "using") == "composite":
        _declare(reading, "action output", path, rows(root, "outputs"))
    _steps(reading, f"{path}#", at(root, "runs", "steps"), None, paths)
    for key in ("runs", "outputs"):
        _expressions(reading, at(root, key), f"{path}#")


def _steps(reading: DataReading, place: str, steps: object, folder: object, paths: Paths) -> None:
    """Add the steps of a job. `folder`: where its commands run, or None if unknown."""
    scope = Scope("step", place)
    reading.scopes.add(scope)
    for step in steps if isinstance(steps, list) and id(steps) not in reading.visited else []:
        uses, name, run = at(step, "uses") or "", at(step, "id"), at(step, "run")
        if isinstance(name, LinedText):
            reading.declare(scope, name.lower(), name.line)
        if isinstance(uses, LinedText) and uses.startswith("./"):
            _called_action(reading, f"{place}#{name}".lower(), uses, step, paths)
        if str(uses).startswith("actions/checkout@") and (at(step, "with", "path") or at(step, "with", "repository")):
            folder = None
        here = at(step, "working-directory") or folder
        if isinstance(run, LinedText) and folder is not None and isinstance(here, str) and "$" not in here:
            command = _EXPRESSION.sub(lambda match: "$" + "\n" * match[0].count("\n"), run)
            shell.add_calls(reading, command, beside("", here), run.line, paths)


def _called_action(reading: DataReading, place: str, uses: LinedText, step: object, paths: Paths) -> None:
    folder, there = beside("", uses), Scope("action", "")
    if folder is None:
        return
    reading.scopes.add(there)
    reading.use(there, folder or ".", uses.line)
    target = next((one for file in ACTIONS if (one := posixpath.join(folder, file)) in paths), None)
    if target is None:
        return
    reading.declare(there, folder or ".", 1)
    reading.aliases[Scope("action output", place)] = Scope("action output", target)
    for one, _ in rows(step, "with"):
        if one not in ("args", "entrypoint"):
            reading.use(Scope("action input", target), one.lower(), one.line)


def _expressions(reading: DataReading, root: object, place: str) -> None:
    """Add the references in expressions. `place`: the enclosing job or action."""
    for key, text in scalars(root, reading.visited):
        bodies = [(one.start(1), one[1]) for one in _EXPRESSION.finditer(text)]
        for start, body in bodies or ([(0, text)] if key == "if" else []):
            code = _INDEX.sub(r".\1", body)
            line = text.line + text.count("\n", 0, start)
            for match in _REFERENCE.finditer(_TEXT.sub("", code).lower()):
                _use(reading, match, line, place)


def _use(reading: DataReading, match: re.Match[str], line: int, place: str) -> None:
    root, name, output = match["root"], match["name"], match["output"]
    if match["input"]:
        reading.use(Scope("input", reading.path), name, line)
        return
    if (root == "jobs") == bool(place):
        return
    inner = f"{reading.path}#{name}" if root in ("needs", "jobs") else f"{place}#{name}"
    reading.use(Scope(_KINDS[root], place) if place else Scope("job", reading.path), name, line)
    if output:
        reading.use(Scope(_OUTPUTS[root], inner), output, line)
