"""The formats of stored data, each with one codec and a version number that rises when a meaning changes.

| what | codec | its version number |
|---|---|---|
| a review, and its state for the next review | `reviews`, `edits` | `bot.values.review.SCHEMA_VERSION` |
| the line of a summary comment that contains this state | `states` | that of the review in it |
| the hidden first line of comments and check runs | `markers` | `markers.FORM` |
| a journal, also of programs that only use `deeprepo.rlm` | `deeprepo.rlm.journal.codec` | `JOURNAL_FORM` |
| a job of the server | `bot.workflow.jobs.records` | `JOB_FORM` there |
| tables | `bot.storage.migrations` | the migration's |

Facts about files need no version number. They are cached under a hash of the code that extracted them
(`deeprepo.impact.reading.memo`), so other builds don't read them.

Stored data also contains the build that wrote it (`bot.machine.build`), so that a difference between builds
is not mistaken for damage or changed settings. Unreadable data must have no effect. A codec raises an error
with the reason, and the caller must not resolve a thread, call a finding fixed, or conclude a check because
of it.
"""
