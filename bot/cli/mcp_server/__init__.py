"""An MCP server over stdio: a coding agent or an editor asks for a review of the local change before it is pushed."""

from bot.cli.mcp_server.server import server

__all__ = ["server"]
