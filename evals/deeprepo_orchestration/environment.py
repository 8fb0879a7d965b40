"""One policy, one code base. The same as verifiers' single agent, but that nothing has to be booted for it."""

import verifiers.v1 as vf


class OrchestrationEnvConfig(vf.EnvConfig):
    """The one seat. Its program runs in this process and its code in deeprepo's REPL, so no sandbox is wanted."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class OrchestrationEnv(vf.Env[OrchestrationEnvConfig]):
    """A review is an episode."""

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        """Let the policy review."""
        await agents.agent.run(task)
