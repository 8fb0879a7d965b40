"""Where the benches look for what they measure with, unless an option names another place."""

import argparse
from pathlib import Path

REPOS = ".cache/repos"
PR_AGENT = f"{REPOS}/The-PR-Agent+pr-agent"
PEERS = ".cache/peers"


def clones(name: str) -> Path:
    """The folder of an option, which has to be there. argparse reads its default through this, too."""
    path = Path(name)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{name} is not there: `make fetch WHOLE=1` brings it, or name another folder")
    return path
