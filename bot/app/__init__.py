"""The server: webhooks in, jobs on disk, probes and counters, and hourly maintenance. Imported by `serve` and `worker` only."""

from bot.app.create import create
from bot.app.running_server import RunningServer
from bot.app.server import OpenWork, open_server, serve, worker
