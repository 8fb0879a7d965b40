"""Remarks of people, answered: whether one is meant for us, what has been said before it, and what a model says to it.

`hearing` decides and keeps the thread in bounds; `answering` asks the model, checks what it says and writes the comment.
"""

from bot.commands.conversation.answering import RemarkReply, Withdrawal, refusal, respond
from bot.commands.conversation.hearing import HeardRemark, Speech, above, below
