"""`/deeprepo explain`."""

from functools import partial

from bot.commands import answering
from bot.workflow.commands.in_child import answer_in_child, answer_in_step
from bot.workflow.given_command import CommentCommand

COMMAND = CommentCommand(
    partial(answer_in_child, answering.explain), partial(answer_in_step, answering.explain), "explain [NUMBER]"
)
