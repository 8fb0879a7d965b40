"""An MCP server over stdio, with which editors and coding agents review local changes."""

from bot.cli.mcp_server.server import server

__all__ = ["server"]
