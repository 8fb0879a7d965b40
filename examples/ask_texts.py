"""Ask a question about a folder of texts, with a custom tool: python examples/ask_texts.py FOLDER QUESTION [MODEL [BASE_URL]].

The root model sees only the length, the beginning and the end of the texts. Its code does the rest.
"""

import sys
from pathlib import Path

import deeprepo

# %% The question and the model. The key comes from the environment.
if len(sys.argv) < 3:
    sys.exit(__doc__)
folder, question, *rest = sys.argv[1:]
model = deeprepo.Model(rest[0], base_url=rest[1] if len(rest) > 1 else None) if rest else None

# %% A tool is any function of plain data. The root sees its signature and docstring.
RATES = {"EUR": 1.0, "USD": 0.86, "GBP": 1.15}


def euros(amount: float, currency: str) -> float:
    """Convert an amount of money to euros. `currency` is a code such as USD."""
    if currency not in RATES:
        raise ValueError(f"no rate for {currency}: there are {', '.join(RATES)}")
    return round(amount * RATES[currency], 2)


# %% Ask. Because of the journal, the same command resumes after a crash. Once finished, it answers from the file.
rlm = deeprepo.RLM(root=model, budget=0.50, answer_form="one number in euros, or NOT FOUND")
result = rlm.run(question, Path(folder), tools=[euros], journal="ask_texts.jsonl")

# %% The answer, and the steps that led to it.
print(result.answer)
for turn in result.trajectory:
    print(f"--- {turn.run}, turn {turn.number}\n{turn.code}\n--> {turn.output}{turn.error or ''}", file=sys.stderr)
print(f"{result.outcome}: {result.calls} calls, ${result.cost.usd}", file=sys.stderr)
