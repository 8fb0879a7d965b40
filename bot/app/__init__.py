"""The server: webhooks in, jobs on disk, probes and counters, and the hours' rounds. Imported by `serve` and `worker` only."""

from bot.app.create import create
from bot.app.opening import OpenWork, open_server, serve, worker
from bot.app.running_server import RunningServer
