"""The formats of what outlives a process, each with one codec and a number that rises when a meaning changes.

| what | codec | its number |
|---|---|---|
| a review, and what it leaves for the next one | `reviews` | `bot.values.review.SCHEMA_VERSION` |
| the line of a summary comment that contains the latter | `states` | that of the review in it |
| the hidden first line of comments and check runs | `markers` | `markers.FORM` |

Builds before 0.2.0 wrote form 1 with several meanings. Their data is used where its meaning is certain. What cannot be read has no
consequence: a codec raises a sentence that says why, and nothing may be resolved, called fixed or concluded from that.
"""
