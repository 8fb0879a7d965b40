"""Create the parts of a review from its settings. Only this package refers to concrete plug-ins and models."""
