"""What an experiment is: the keys of a config, read and checked."""
