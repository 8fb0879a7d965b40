"""The policy's program is deeprepo itself: its loop, REPL, workers and coverage run here, and each reply is asked of verifiers' endpoint."""

from dataclasses import asdict
from pathlib import Path

import verifiers.v1 as vf
from pydantic import Field

from deeprepo.rlm.models import connect
from deeprepo_evals.plant.reader import NAME as READER
from deeprepo_evals.train import Task, policies, roll
from deeprepo_evals.train.run import provider_failed
from deeprepo_evals.train.tasks import NAME


class OrchestrationHarnessConfig(vf.HarnessConfig):
    """Who the workers are: `--env.agent.harness.worker openai/gpt-5.4-mini`. Their key comes from the provider's own variable."""

    worker: str = READER
    """`scripted/reader` (deterministic, free, knows what is planted) or any `provider/model` that deeprepo knows."""
    worker_base_url: str | None = None
    """Another address for the workers: a vLLM server, a proxy."""
    reply_seconds: float = Field(600.0, gt=0)
    """How long the policy may take for one reply."""
    journals: Path | None = None
    """A folder for deeprepo's own journals of the rollouts."""


class OrchestrationHarness(vf.Harness[OrchestrationHarnessConfig]):
    """Plays a task through the product's pipeline with the strategy `rlm-only`."""

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = (
        False  # not in verifiers' runtime: the policy's code runs in deeprepo's REPL, without files and network
    )
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,  # noqa: ARG002 - nothing runs there
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],  # noqa: ARG002 - the policy has deeprepo's functions
        data: vf.TaskData,  # noqa: ARG002 - the trace has it in its own type
    ) -> vf.ProgramResult:
        """One review. A failing endpoint is no fault of the policy: it raises, and the rollout is not scored."""
        given, wanted = trace.task.data, self.config
        task = Task(given.seed, given.files, given.scope, given.clean, given.turns)
        policies.check(wanted.worker, root=False)
        root = connect(f"compatible/{ctx.model}", secret, endpoint, wanted.reply_seconds)
        worker = policies.worker(wanted.worker, task, wanted.worker_base_url)
        journal = wanted.journals / f"{trace.id}.jsonl" if wanted.journals else None
        rolled = await roll(task, root, worker, trace=journal)
        if provider_failed(rolled) and trace.stop_condition is None:
            raise vf.HarnessError(f"the policy's endpoint failed: {rolled.why}")
        trace.info[NAME] = asdict(rolled.facts)
        return vf.ProgramResult(0, "answered" if rolled.facts.answered else rolled.why or "ended without an answer", "")
