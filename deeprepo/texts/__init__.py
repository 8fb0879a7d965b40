"""Questions about long texts, answered by a root of `deeprepo.rlm`: what `deeprepo.RLM` is made of."""
