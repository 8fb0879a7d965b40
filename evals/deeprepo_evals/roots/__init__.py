"""Which root delegates: several root models, one worker and the single-call baseline over code bases with planted defects."""
