"""`deeprepo mcp`: run an MCP server over stdio, for editors and coding agents."""

from pathlib import Path

from bot.cli.exits import CLEAN
from bot.cli.options import RepoFolder
from bot.errors import UsageError
from bot.machine import extras


def command(repo: RepoFolder = ".") -> int:
    """Serve the tools review, explain, hand_over and callers over standard input and output (Model Context Protocol).

    Editors and agents start this command. For example, run `claude mcp add deeprepo -- deeprepo mcp`, or
    configure the command `deeprepo` with the argument `mcp`.
    """
    if not Path(repo).is_dir():
        raise UsageError(f"{repo} is not a folder. Pass the path of a git checkout with --repo")
    extras.need("mcp")
    from bot.cli.mcp_server import server

    server(str(Path(repo).absolute())).run("stdio")
    return CLEAN
