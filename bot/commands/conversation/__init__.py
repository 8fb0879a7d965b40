"""Answer remarks: comments that are addressed to us but contain no command.

`threads` decides whether a remark is addressed to us, and collects the comments before it. `answering` asks a
model, checks its answer and renders the reply.
"""

from bot.commands.conversation.answering import RemarkReply, Withdrawal, refusal, respond
from bot.commands.conversation.threads import RemarkThread, ThreadComment, from_conversation, from_review_thread
