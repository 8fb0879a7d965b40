"""What only a review adds to a journal (`deeprepo.rlm.journal`): its last line, its replay, and spans of it for who watches a server."""
