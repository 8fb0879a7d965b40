"""A peer's engine under the same watch, run by the interpreter of the environment that holds it.

    PEERS/rlms/bin/python -m benchmarks.peer rlms|dspy|deeprepo-cli URL

Versions: see benchmarks/peers.py.
"""

import logging
import os
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks import timing
from benchmarks.peers import DSPY, ORIGINAL, RLMS, Peer

MAX_TURNS = 400
ABSENT = 4  # the exit code where the pinned version is not installed


class Rlms:
    """alexzhang13/rlm, its local environment."""

    BATCH, FINISH = "llm_query_batched", 'answer["content"] = "done"\nanswer["ready"] = True'

    def __init__(self, url: str) -> None:
        self.url = url

    @staticmethod
    def block(code: str) -> str:
        """One turn with this code."""
        return f"go\n```repl\n{code}\n```"

    def run(self, model: str, context: str = "ctx " * 100) -> None:
        """One whole run with this root."""
        from rlm import RLM

        def named(name: str) -> dict[str, str]:
            return {"model_name": name, "base_url": self.url, "api_key": "none"}

        engine = RLM(
            backend="openai",
            backend_kwargs=named(model),
            other_backends=["openai"],
            other_backend_kwargs=[named("worker")],
            max_iterations=MAX_TURNS,
        )
        engine.completion(context)


class Dspy:
    """dspy.RLM with its interpreter in a process of its own; the default one needs Deno."""

    BATCH, FINISH = "llm_query_batched", 'SUBMIT("done")'

    def __init__(self, url: str) -> None:
        self.url = url

    @staticmethod
    def block(code: str) -> str:
        """One turn with this code."""
        return f"[[ ## reasoning ## ]]\ngo\n\n[[ ## code ## ]]\n```python\n{code}\n```\n\n[[ ## completed ## ]]"

    def run(self, model: str) -> None:
        """One whole run with this root."""
        import dspy

        root, worker = (
            dspy.LM(f"openai/{name}", api_base=self.url, api_key="none", cache=False) for name in (model, "worker")
        )
        dspy.configure(lm=root)
        engine = dspy.RLM(
            "context -> answer",
            max_llm_calls=1_000,
            max_iters=MAX_TURNS,
            sub_lm=worker,
            interpreter_factory=dspy.LocalInterpreter,
        )
        engine(context="ctx " * 100)


class Original:
    """Leonwenhao/deeprepo as published, its cache of worker replies off."""

    BATCH, FINISH = "llm_batch", 'set_answer("done")'

    def __init__(self, url: str) -> None:
        self.url = url
        # The library of this repository has the same name, and `python -m` looks here first.
        sys.path[:] = [place for place in sys.path if Path(place).resolve() != Path.cwd()]
        self.folder = tempfile.mkdtemp()
        Path(self.folder, "main.py").write_text("print(1)\n" * 50)

    @staticmethod
    def block(code: str) -> dict[str, str]:
        """One turn with this code."""
        return {"tool": code}

    def run(self, model: str) -> None:
        """One whole run with this root."""
        import openai
        from deeprepo.domains import get_domain
        from deeprepo.llm_clients import OpenRouterRootClient, SubModelClient, TokenUsage
        from deeprepo.rlm_scaffold import RLMEngine

        usage = TokenUsage()
        root = OpenRouterRootClient(usage=usage, model=model)
        root.client = openai.OpenAI(api_key="none", base_url=self.url)
        worker = SubModelClient(usage=usage, model="worker", base_url=self.url, use_cache=False)
        RLMEngine(root, worker, usage, max_turns=MAX_TURNS, verbose=False).analyze(self.folder, get_domain("code"))


ENGINES: dict[Peer, Any] = {RLMS: Rlms, DSPY: Dspy, ORIGINAL: Original}


def main() -> int:
    """Measure it. Exit 4 where the pinned version is not installed."""
    name, url = sys.argv[1:3]
    peer = next(peer for peer in ENGINES if peer.name == name)
    package, _, pinned = peer.package.partition("==")
    try:
        if version(package) != pinned:
            return ABSENT
    except PackageNotFoundError:
        return ABSENT
    for variable in ("OPENAI_API_KEY", "OPENROUTER_API_KEY", "ANTHROPIC_API_KEY"):
        os.environ[variable] = "none"
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # no download at import
    logging.disable(logging.WARNING)
    engine = ENGINES[peer](url)
    found = timing.measure(engine)
    engine.run("root-four")
    timing.told(found)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
