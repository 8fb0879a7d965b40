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
