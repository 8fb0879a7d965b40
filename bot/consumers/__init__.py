"""Find what a change breaks in consumers, which are other repositories that use the reviewed one."""
