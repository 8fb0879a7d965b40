"""What is no code and follows a change: schemas, data files, and other repositories that use this one."""
