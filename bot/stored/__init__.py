"""The formats of what outlives a process, each with one codec and a number that rises when a meaning changes.

| what | codec | its number |
|---|---|---|
| a review, and what it leaves for the next one | `reviews`; `edits` writes it | `bot.values.review.SCHEMA_VERSION` |
| the line of a summary comment that contains the latter | `states` | that of the review in it |
| the hidden first line of comments and check runs | `markers` | `markers.FORM` |
| the rounds of a coding agent | `agents` | `agents.AGENTS_FORM` |
| a journal, which programs that only use `deeprepo.rlm` write too | `deeprepo.rlm.journal.codec` | `JOURNAL_FORM` there |
| a job of the server | `bot.workflow.jobs.asks` | `JOB_FORM` there |
| tables | `bot.storage.migrations` | the migration's |

Facts about files are kept under a hash of the code that found them (`deeprepo.impact.memo`), so no other build reads them.

What is stored also names the build that wrote it (`bot.machine.build`), so that no difference between builds is called damage or a change
of settings. Builds before 0.2.0 wrote form 1 with several meanings. Their data is used where its meaning is certain. What cannot be read
has no consequence: a codec raises a sentence that says why, and nothing may be resolved, called fixed or concluded from that.
"""
