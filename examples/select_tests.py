"""Print the test files that a change can break: pytest $(python examples/select_tests.py . main..feature)."""

import sys

import deeprepo

# %% What the change affects. This doesn't use a model.
repo = sys.argv[1] if len(sys.argv) > 1 else "."
change = sys.argv[2] if len(sys.argv) > 2 else None
impact = deeprepo.analyze(repo, change)

# %% Tests that changed, that use a changed definition, or that import a changed file.
reasons: dict[str, str] = {}
for file in impact.files:
    if file.test and file.status != "deleted":
        reasons.setdefault(file.path, "it changed")
for use in impact.uses:
    if use.test and use.sure:
        reasons.setdefault(use.path, f"line {use.line} uses {use.definition}")
for dependent in impact.dependents:
    if dependent.test:
        reasons.setdefault(dependent.path, f"line {dependent.line} imports {dependent.target}")

# %% Print the test files on standard output, and the reasons on standard error. If a limit left something out, run all tests.
tests = {path: reason for path, reason in sorted(reasons.items()) if path.rpartition("/")[2].startswith("test_")}
for path, reason in tests.items():
    print(f"{path}: {reason}", file=sys.stderr)
for sentence in impact.notes:
    print(f"not looked at: {sentence}", file=sys.stderr)
print(*(["tests"] if impact.notes else tests), sep="\n")
