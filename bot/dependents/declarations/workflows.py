"""GitHub workflows and actions: jobs, steps, matrices, inputs, outputs, secrets, and local calls."""

import posixpath
import re
from collections.abc import Iterator

from bot.dependents.declarations import nodes
from bot.dependents.declarations.nodes import YamlNode
from bot.dependents.declarations.packages import add_calls
from bot.dependents.declarations.reading import CallSite, DataReading, Declaration, NameUse, Paths, Scope, beside

FOLDER = ".github/workflows"
ACTIONS = ("action.yml", "action.yaml")
_TOKEN = re.compile(
    r"'(?:[^']|'')*+'?|(?P<name>[A-Za-z_][\w-]*+)|\[[ ]*+'(?P<index>[^']*+)'[ ]*+\]|\.|[^\w\s]|\d++|\s++|\w++"
)
_EXPRESSION = re.compile(r"\$\{\{((?:[^}]|\}(?!\}))*+)(?:\}\}|\Z)")
_ALL = Scope("workflow name", "")


def read(path: str, text: str, paths: Paths) -> DataReading:
    """One workflow or action. Raises `UnreadableDataError`."""
    root = nodes.parse(path, text)
    if posixpath.basename(path) in ACTIONS and not path.startswith(f"{FOLDER}/"):
        return _action(path, root, paths)
    return _workflow(path, root, paths)


def _workflow(path: str, root: YamlNode, paths: Paths) -> DataReading:
    inputs, jobs, outputs = Scope("input", path), Scope("job", path), Scope("workflow output", path)
    call_inputs, secrets = Scope("workflow input", path), Scope("secret", path)
    reading = DataReading(scopes={inputs, jobs, outputs, call_inputs, secrets, _ALL})
    call, dispatch = root.get("on", "workflow_call"), root.get("on", "workflow_dispatch")
    for name, line, _ in (*call.get("inputs").items(), *dispatch.get("inputs").items()):
        reading.declarations.append(Declaration(inputs, name.lower(), path, line))
    _declared(reading, call_inputs, call.get("inputs"), path)
    _declared(reading, secrets, call.get("secrets"), path)
    _declared(reading, outputs, call.get("outputs"), path)
    title = root.get("name")
    reading.declarations.append(Declaration(_ALL, title.text or path, path, title.line))
    for title_node in root.get("on", "workflow_run", "workflows").elements():
        reading.needs |= {one for one in paths.inside(FOLDER) if one.endswith((".yml", ".yaml"))}
        if title_node.text is not None and not re.search(r"[*?\[\]!]", title_node.text):
            reading.uses.append(NameUse(_ALL, title_node.text, path, title_node.line, "removed"))
    for name, line, _ in root.get("jobs").items():
        reading.declarations.append(Declaration(jobs, name.lower(), path, line))
    for key, _, value in root.items():
        if key not in ("jobs", "on"):
            _expressions(reading, value, path, inputs, "")
    for _, node in call.get("outputs").scalars():
        _expressions(reading, node, path, inputs, "")
    defaults = root.get("defaults", "run", "working-directory")
    for name, _, job in root.get("jobs").items():
        _job(reading, path, name.lower(), job, paths, defaults)
    return reading


def _declared(reading: DataReading, scope: Scope, rows: YamlNode, path: str) -> None:
    for name, line, value in rows.items():
        is_required = value.get("required").text == "true" and not value.get("default")
        reading.declarations.append(Declaration(scope, name.lower(), path, line, is_required))


def _job(reading: DataReading, path: str, name: str, job: YamlNode, paths: Paths, defaults: YamlNode) -> None:
    place = f"{path}#{name}"
    needs, matrix, outputs = Scope("need", place), Scope("matrix", place), Scope("job output", place)
    reading.scopes |= {needs, matrix, outputs}
    for one in job.get("needs").elements():
        if one.text is not None:
            reading.declarations.append(Declaration(needs, one.text.lower(), path, one.line))
            reading.uses.append(NameUse(Scope("job", path), one.text.lower(), path, one.line))
    for output, line, _ in job.get("outputs").items():
        reading.declarations.append(Declaration(outputs, output.lower(), path, line))
    _matrix(reading, matrix, job.get("strategy", "matrix"), path)
    inputs = Scope("input", path)
    if callee := job.get("uses").text:
        _called_workflow(reading, path, name, callee, job, paths)
    _expressions(reading, job, path, inputs, place)
    folder = job.get("defaults", "run", "working-directory") or defaults
    _steps(reading, path, place, job.get("steps"), paths, folder)


def _matrix(reading: DataReading, scope: Scope, matrix: YamlNode, path: str) -> None:
    if matrix.text is not None:
        reading.doubts[scope] = "its matrix is computed"
    for key, line, value in matrix.items():
        if key == "include":
            for row in value.elements():
                reading.declarations += [Declaration(scope, name.lower(), path, at) for name, at, _ in row.items()]
                if row.text is not None:
                    reading.doubts[scope] = "its matrix is computed"
            if value.text is not None:
                reading.doubts[scope] = "its matrix is computed"
        elif key != "exclude":
            reading.declarations.append(Declaration(scope, key.lower(), path, line))


def _called_workflow(reading: DataReading, path: str, name: str, target_name: str, job: YamlNode, paths: Paths) -> None:
    """A job that calls a reusable workflow: its outputs are the workflow's."""
    place = f"{path}#{name}"
    outputs = Scope("job output", place)
    target = beside("", target_name) if target_name.startswith("./") else None
    if target is None:
        reading.doubts[outputs] = "its workflow is out of sight"
        return
    there = Scope("workflow", "")
    reading.scopes.add(there)
    reading.uses.append(NameUse(there, target, path, job.get("uses").line, "removed"))
    reading.aliases[outputs] = Scope("workflow output", target)
    if target not in paths:
        return
    reading.declarations.append(Declaration(there, target, target, 1))
    reading.needs.add(target)
    for kind, key in (("workflow input", "with"), ("secret", "secrets")):
        scope, rows = Scope(kind, target), job.get(key)
        names = {one.lower(): line for one, line, _ in rows.items()}
        reading.uses += [NameUse(scope, one, path, line) for one, line in names.items()]
        if rows.text is None:  # inherit gives all
            reading.calls.append(CallSite(scope, frozenset(names), path, job.get("uses").line, f"{name} {key}"))


def _action(path: str, root: YamlNode, paths: Paths) -> DataReading:
    inputs, call_inputs, outputs = Scope("input", path), Scope("action input", path), Scope("action output", path)
    reading = DataReading(scopes={inputs, call_inputs})
    for scope in (inputs, call_inputs):
        for name, line, _ in root.get("inputs").items():
            reading.declarations.append(Declaration(scope, name.lower(), path, line))
    if root.get("runs", "using").text != "composite":
        reading.loose.add(call_inputs)  # its code may read what it does not declare
    else:
        reading.scopes.add(outputs)
        reading.declarations += [
            Declaration(outputs, name.lower(), path, line) for name, line, _ in root.get("outputs").items()
        ]
    place = f"{path}#"
    for key in ("runs", "outputs"):
        _expressions(reading, root.get(key), path, inputs, place)
    _steps(reading, path, place, root.get("runs", "steps"), paths, nodes.EMPTY, is_here=False)
    return reading


def _steps(
    reading: DataReading,
    path: str,
    place: str,
    steps: YamlNode,
    paths: Paths,
    folder: YamlNode,
    *,
    is_here: bool = True,
) -> None:
    scope = Scope("step", place)
    reading.scopes.add(scope)
    for step in steps.elements():
        uses, name = step.get("uses").text or "", step.get("id").text
        if name is not None:
            reading.declarations.append(Declaration(scope, name.lower(), path, step.get("id").line))
        if uses.startswith("actions/checkout@") and (step.get("with", "path") or step.get("with", "repository")):
            is_here = False  # nobody can tell what is at the root then
        if uses.startswith("./"):
            _called_action(reading, path, place, (name or "").lower(), uses, step, paths)
        run = step.get("run")
        if run.text is not None and is_here:
            where = step.get("working-directory") or folder
            start = "" if not where else None if where.text is None or "$" in where.text else beside("", where.text)
            first = run.line + run.is_block
            text = _EXPRESSION.sub(
                lambda match: "${" + " " * (len(match[0]) - 3) + "}" if "\n" not in match[0] else match[0], run.text
            )
            add_calls(reading, text, start, path, paths, lambda line, first=first: first + line)


def _called_action(
    reading: DataReading, path: str, place: str, name: str, uses: str, step: YamlNode, paths: Paths
) -> None:
    folder = beside("", uses)
    if folder is None:
        return
    there, line = Scope("action", ""), step.get("uses").line
    reading.scopes.add(there)
    reading.uses.append(NameUse(there, folder or ".", path, line, "removed"))
    target = next((one for file in ACTIONS if (one := posixpath.join(folder, file)) in paths), None)
    if target is None:
        return
    reading.declarations.append(Declaration(there, folder or ".", target, 1))
    reading.needs.add(target)
    reading.uses += [
        NameUse(Scope("action input", target), one.lower(), path, at)
        for one, at, _ in step.get("with").items()
        if one not in ("args", "entrypoint")
    ]
    if name:
        reading.aliases[Scope("action output", f"{place}#{name}")] = Scope("action output", target)


def _expressions(reading: DataReading, node: YamlNode, path: str, inputs: Scope, place: str) -> None:
    """Add what every expression below a node names. `place`: the job, or the action, that it is in."""
    for key, scalar in node.scalars():
        text = scalar.text or ""
        whole = [text] if key == "if" and "${{" not in text else []
        if not whole and "${{" not in text:
            continue
        first = scalar.line + scalar.is_block
        for start, body in (
            ((0, one) for one in whole) if whole else ((one.start(1), one[1]) for one in _EXPRESSION.finditer(text))
        ):
            line = first + text.count("\n", 0, start)
            for chain in _chains(body):
                _name(reading, chain, path, line, inputs, place)


def _name(reading: DataReading, chain: list[str], path: str, line: int, inputs: Scope, place: str) -> None:
    root, name, *rest = (*chain, "", "")
    if root == "github" and chain[1:3] == ["event", "inputs"] and len(chain) > 3:  # noqa: PLR2004 - github.event.inputs.NAME
        reading.uses.append(NameUse(inputs, chain[3], path, line))
    elif root == "inputs":
        reading.uses.append(NameUse(inputs, name, path, line))
    elif root == "jobs" and not place:
        reading.uses.append(NameUse(Scope("job", path), name, path, line))
        if rest[0] == "outputs" and rest[1]:
            reading.uses.append(NameUse(Scope("job output", f"{path}#{name}"), rest[1], path, line))
    elif root in ("needs", "steps", "matrix") and place:
        kind = {"needs": "need", "steps": "step", "matrix": "matrix"}[root]
        reading.uses.append(NameUse(Scope(kind, place), name, path, line))
        if rest[0] == "outputs" and rest[1]:
            other = (
                Scope("job output", f"{path}#{name}") if root == "needs" else Scope("action output", f"{place}#{name}")
            )
            reading.uses.append(NameUse(other, rest[1], path, line))


def _chains(body: str) -> Iterator[list[str]]:
    """Give the references of an expression, in lower case: GitHub compares names so."""
    chain: list[str] = []
    is_open = False  # behind a dot
    for match in _TOKEN.finditer(body):
        if match["name"] and (is_open or not chain):
            chain.append(match["name"].lower())
            is_open = False
        elif match["index"] is not None and chain and not is_open:
            chain.append(match["index"].lower())
        elif match[0] == "." and chain and not is_open:
            is_open = True
        else:
            if len(chain) > 1:
                yield chain
            chain, is_open = ([match["name"].lower()] if match["name"] else []), False
            if match[0] == ".":
                chain = ["?"]
    if len(chain) > 1:
        yield chain
