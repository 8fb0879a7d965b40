"""The walkthrough of a change: by the model that has read it anyway, and by code if no model has."""
