"""Planning: the runs of a config, and those that are left to do."""
