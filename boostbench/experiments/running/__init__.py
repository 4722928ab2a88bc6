"""From a run to its record, in whatever process."""
