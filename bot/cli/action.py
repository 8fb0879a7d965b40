"""`deeprepo action`: run a step of a GitHub Actions workflow. action.yml runs this command."""

from bot.cli.exits import CLEAN, FOUND, finish
from bot.machine import extras


def command() -> int:
    """Review the pull request that a GitHub Actions workflow runs for. action.yml starts this command.

    Exit codes: 0 reviewed, or nothing to review; 1 a finding at or above `fail-on` or, if `fail-on` is set,
    no review or one that was cut off; 2 a wrong input; 3 provider or internal error.
    """
    extras.need("github")
    from bot import action, verdict
    from bot.config.action import is_step, step
    from bot.errors import DeepRepoError

    if not is_step():
        step()  # raises an error that explains this, before anything is printed for a runner
    console = action.Console(lambda line: print(line, flush=True))  # noqa: T201 - the runner reads stdout
    try:
        result = finish(action.run(step(), console))
        if result.fault is not None:
            raise result.fault
    except DeepRepoError as error:
        console.headline("error", str(error))
        raise
    console.resume_commands()
    made = verdict.of(result.review).exit_code if result.review is not None else CLEAN
    return made or (CLEAN if verdict.passes(result.conclusion) else FOUND)
