"""Consumers: what a change breaks in other repositories that use the reviewed one."""
