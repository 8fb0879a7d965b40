"""Answer people's remarks: whether one is addressed to us, the thread before it, and a model's answer.

`hearing` decides and limits the thread; `answering` asks the model, checks its answer and writes the comment.
"""

from bot.commands.conversation.answering import RemarkReply, Withdrawal, refusal, respond
from bot.commands.conversation.hearing import HeardRemark, Speech, above, below
