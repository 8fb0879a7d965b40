"""Ask a folder of texts one question after the other, a line each on standard input: python examples/session.py FOLDER [MODEL [BASE_URL]].

What the first question has read, the second one need not read again. What happens meanwhile is on standard error.
"""

import sys
from pathlib import Path

import deeprepo

# %% What is asked, and of whom. A key comes from the environment.
if len(sys.argv) < 2:
    sys.exit(__doc__)
folder, *rest = sys.argv[1:]
model = deeprepo.Model(rest[0], base_url=rest[1] if len(rest) > 1 else None) if rest else None


# %% What happens comes as values. Printed, each of them is a line; here only some are shown.
def show(event: deeprepo.Event) -> None:
    """Say what was asked, and what went wrong."""
    match event:
        case deeprepo.Call(role="worker", model=name, total=total):
            print(f"{name} has read something: {total.calls} calls, ${total.usd}", file=sys.stderr)
        case deeprepo.Turn(error=str(error)):
            print(f"the root's code failed: {error}", file=sys.stderr)
        case deeprepo.Result():
            print(event, file=sys.stderr)


# %% Ask. The journal lets the same session, with the same questions, resume after a crash.
rlm = deeprepo.RLM(root=model, budget=0.50)
with rlm.session(Path(folder), journal="session.jsonl", on_progress=show) as session:
    for question in filter(None, map(str.strip, sys.stdin)):
        print(session.run(question).answer)
