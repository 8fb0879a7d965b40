"""Questions about long texts, answered by a root of `deeprepo.rlm`: what `deeprepo.RLM` is made of.

`material` is how a root and its workers see the context, and `dialogue` runs a root and its child roots. `session`
asks one question after the other. `callables` and `typed` are the caller's own functions and answer types.
"""
