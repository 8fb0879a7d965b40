"""Tokens of texts: o200k_base where tiktoken and the encoding are at hand without a download, else our own estimate, and said so.

    python -m benchmarks.tokens < LINES     # one JSON string per line in, one count per line out; exit 3 without the encoding

The encoding is taken from TIKTOKEN_CACHE_DIR, or from the copy that litellm ships.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

ENCODING = "o200k_base"
ABSENT = 3


def counted(texts: Sequence[str], pythons: Sequence[Path] = ()) -> tuple[list[int], str]:
    """The tokens of each text and how they were counted. `pythons`: other interpreters that may have tiktoken."""
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    for python in (Path(sys.executable), *pythons):
        done = subprocess.run([python, __file__], input=lines, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return [int(line) for line in done.stdout.split()], ENCODING
    from deeprepo.rlm.values import tokens

    return [tokens(text) for text in texts], "our estimate (tiktoken is not at hand)"


def main() -> int:
    """Count standard input."""
    shipped = find_spec("litellm")
    if shipped and shipped.origin:
        folder = Path(shipped.origin).parent / "litellm_core_utils" / "tokenizers"
        os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(folder))
    if find_spec("tiktoken") is None or "TIKTOKEN_CACHE_DIR" not in os.environ:
        return ABSENT
    import tiktoken

    encoding = tiktoken.get_encoding(ENCODING)
    for line in sys.stdin:
        print(len(encoding.encode(json.loads(line), disallowed_special=())))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
