"""The walkthrough of a change, by the model that reviews it, or by static analysis if there is no model."""
