import os
import subprocess
import sys
from pathlib import Path

import pytest

BIN = Path(sys.executable).parent
TYPED = 'source <(deeprepo --show-completion); COMP_WORDS=({words}); COMP_CWORD={last}; _deeprepo_completion deeprepo; printf "%s\\n" "${{COMPREPLY[@]}}"'


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (("deeprepo", "est"), ["estimate"]),
        (("deeprepo", "de"), ["demo"]),
        (("deeprepo", "review", "--unc"), ["--uncommitted"]),
        (("deeprepo", "review", "--effort", "''"), ["none", "low", "medium", "high"]),
    ],
)
def test_bash_completes_commands_options_and_values(words: tuple[str, ...], completed: list[str]) -> None:
    """Bash completes with the output of `--show-completion`."""
    env = {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "HOME": "/nowhere"}
    script = TYPED.format(words=" ".join(words), last=len(words) - 1)
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=env, check=True)
    assert done.stdout.split() == completed


@pytest.mark.parametrize(("shell", "more"), [("zsh", {}), ("fish", {"_TYPER_COMPLETE_FISH_ACTION": "get-args"})])
def test_zsh_and_fish_use_their_own_completion_protocol(shell: str, more: dict[str, str]) -> None:
    """Completion for zsh and fish uses the protocol of each shell."""
    asked = {"_DEEPREPO_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_ARGS": "deeprepo config --expl", **more}
    env = {"PATH": os.environ["PATH"], "HOME": "/nowhere", **asked}
    done = subprocess.run([BIN / "deeprepo"], capture_output=True, text=True, env=env, check=True)
    assert "--explain" in done.stdout
