"""Consumers: what a change breaks in other repositories that use this one."""
