"""The kinds of names, each with what its format calls it and what becomes of a use of a name that nobody declares."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NameKind:
    """One kind."""

    noun: str
    law: str  # of a use without a declaration: a sentence
    effect: str  # what happens then: a sentence
    is_loud: bool = True  # whether anything fails, rather than reading nothing


_TERRAFORM = "`terraform validate` and every plan fail."
_NOTHING = "The expression is empty there, and nothing says so."
KINDS: Mapping[str, NameKind] = {
    "variable": NameKind("variable", "A module knows no other variables than those that it declares.", _TERRAFORM),
    "local": NameKind("local value", "A module knows no other local values than those that it declares.", _TERRAFORM),
    "module": NameKind("module call", "A module knows no other calls than its own.", _TERRAFORM),
    "output": NameKind("output", "A module offers its declared outputs and nothing else.", _TERRAFORM),
    "resource": NameKind("resource", "A module can only refer to what it declares.", _TERRAFORM),
    "module folder": NameKind("module", "A local source is a folder with Terraform files.", "`terraform init` fails."),
    "job": NameKind("job", "`needs` names jobs of the same workflow.", "GitHub refuses the workflow."),
    "need": NameKind("needed job", "`needs.NAME` holds the jobs that this job lists in its `needs`.", _NOTHING, is_loud=False),
    "job output": NameKind("job output", "A job has the outputs that it lists.", _NOTHING, is_loud=False),
    "step": NameKind("step", "`steps.NAME` holds the steps of the same job that have an `id`.", _NOTHING, is_loud=False),
    "matrix": NameKind("matrix key", "`matrix.NAME` holds the keys of the job's own matrix.", _NOTHING, is_loud=False),
    "input": NameKind("input", "`inputs.NAME` holds the inputs that the same file declares.", _NOTHING, is_loud=False),
    "workflow input": NameKind("input", "A reusable workflow takes the inputs that it declares.", "GitHub refuses the calling workflow."),
    "secret": NameKind("secret", "A reusable workflow takes the secrets that it declares.", "GitHub refuses the calling workflow."),
    "workflow output": NameKind("output", "A reusable workflow has the outputs that it declares.", _NOTHING, is_loud=False),
    "action input": NameKind("input", "An action takes the inputs that it declares.", "GitHub warns of an unexpected input, and a composite action never sees it.", is_loud=False),
    "action output": NameKind("output", "A composite action has the outputs that it declares.", _NOTHING, is_loud=False),
    "workflow": NameKind("reusable workflow", "A local workflow is a file of the same commit.", "GitHub refuses the calling workflow."),
    "action": NameKind("action", "A local action is a folder with an action.yml.", "The job fails at this step."),
    "workflow name": NameKind("workflow", "`workflow_run` waits for workflows by their names.", "This workflow is never started again.", is_loud=False),
    "target": NameKind("target", "make builds targets that have a rule, and files.", "make stops: it has no rule for the target."),
    "script": NameKind("script", "A package runs the scripts that its package.json declares.", "The command fails: the script is missing."),
    "script group": NameKind("pattern of scripts", "A runner of several scripts runs those that match.", "The command fails, or runs nothing: no script matches."),
    "template": NameKind("template", "A chart can include templates that it or its dependencies define.", "The chart cannot be rendered."),
    "value": NameKind("value", "`.Values` holds what values.yaml and the person who installs the chart set.", "Without a value of the installer, the chart cannot be rendered or renders nothing there.", is_loud=False),
}  # fmt: skip
MODULE_KINDS = frozenset({"variable", "local", "module", "output", "resource"})  # of a module, which is a folder
