"""The web server: receives webhooks, runs jobs, and serves probes, metrics and the operator's pages.

Only the commands that run or inspect a server import this package.
"""

from bot.app.create import create
from bot.app.running_server import RunningServer
from bot.app.server import OpenWork, open_server, serve, worker
