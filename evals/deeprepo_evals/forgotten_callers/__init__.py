"""`deeprepo eval forgotten`: callers that projects really forgot, found in their histories, and what the offline review reports of them.

A commit removes the last definition of a name, another file still uses it at that commit, and a later commit takes that use away.
"""
