"""The plugin for coding agents refers to existing commands and tools."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

from bot import __version__
from bot.cli.commands import SUMMARIES

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "plugin"


def read(path: Path) -> Any:  # noqa: ANN401 - JSON
    return json.loads(path.read_text())


def test_plugin_refers_to_existing_folders_and_commands() -> None:
    """The marketplace entry and the server refer to existing folders and commands."""
    (listed,) = read(ROOT / ".claude-plugin/marketplace.json")["plugins"]
    assert (ROOT / listed["source"]).resolve() == PLUGIN
    about = read(PLUGIN / ".claude-plugin/plugin.json")
    assert (about["name"], about["version"]) == (listed["name"], __version__)
    (server,) = read(PLUGIN / ".mcp.json")["mcpServers"].values()
    assert server["command"] == "deeprepo"
    assert server["args"][0] in SUMMARIES


def test_skill_names_all_server_tools_with_valid_arguments() -> None:
    """The skill names all tools of the server, with valid arguments."""
    from bot.cli.mcp_server import server

    tools = {tool.name: set(tool.input_schema["properties"]) for tool in asyncio.run(server(".").list_tools())}
    text = (PLUGIN / "skills/deeprepo/SKILL.md").read_text()
    assert text.startswith("---\nname: deeprepo\ndescription: ")
    assert set(re.findall(r"`([a-z_]+)`", text)) - {"change"} == set(tools)
    assert set(re.findall(r"`([a-z_]+): \"", text)) <= tools["review"]
