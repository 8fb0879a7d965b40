"""Turn a folder of contracts into rows: python examples/extract.py FOLDER [ROOT CHEAP STRONG [BASE_URL]].

deeprepo validates the answer. The root's code chooses which worker reads what.
"""

import sys
from datetime import date
from pathlib import Path

from pydantic import BaseModel

import deeprepo

# %% The folder and the models. Keys come from the environment.
if len(sys.argv) < 2:
    sys.exit(__doc__)
folder, *rest = sys.argv[1:]
names = rest[:3] or ["anthropic/claude-sonnet-5-5", "anthropic/claude-haiku-5-5", "anthropic/claude-sonnet-5-5"]
root, cheap, strong = (deeprepo.Model(name, base_url=rest[3] if len(rest) > 3 else None) for name in names)


# %% The type of the answer. The root sees its JSON Schema and is told if an answer doesn't match.
class Contract(BaseModel):
    """One contract."""

    party: str
    end: date | None  # None: it does not end


# %% Ask, and use the rows.
rlm = deeprepo.RLM(root, workers={"cheap": cheap, "strong": strong}, budget=0.50)
question = "List every contract. Let `cheap` read the files, and ask `strong` where a clause about the end is unclear."
result = rlm.run(
    question, Path(folder), answer_type=list[Contract], on_progress=lambda event: print(event, file=sys.stderr)
)
for contract in sorted(result.value or [], key=lambda row: row.end or date.max):
    print(contract.end or "open", contract.party)
