"""Ask several questions about a folder of texts, one per line of standard input: python examples/session.py FOLDER [MODEL [BASE_URL]].

A question can reuse what an earlier one has read. Progress is printed on standard error.
"""

import sys
from pathlib import Path

import deeprepo

# %% The folder and the model. The key comes from the environment.
if len(sys.argv) < 2:
    sys.exit(__doc__)
folder, *rest = sys.argv[1:]
model = deeprepo.Model(rest[0], base_url=rest[1] if len(rest) > 1 else None) if rest else None


# %% Progress events are values that print as one line each. This example shows only some of them.
def show(event: deeprepo.Event) -> None:
    """Print calls and errors."""
    match event:
        case deeprepo.Call(role="worker", model=name, total=total):
            print(f"{name} has read something: {total.calls} calls, ${total.usd}", file=sys.stderr)
        case deeprepo.Turn(error=str(error)):
            print(f"the root's code failed: {error}", file=sys.stderr)
        case deeprepo.Result():
            print(event, file=sys.stderr)


# %% Ask. Because of the journal, a session with the same questions resumes after a crash.
rlm = deeprepo.RLM(root=model, budget=0.50)
with rlm.session(Path(folder), journal="session.jsonl", on_progress=show) as session:
    for question in filter(None, map(str.strip, sys.stdin)):
        print(session.run(question).answer)
