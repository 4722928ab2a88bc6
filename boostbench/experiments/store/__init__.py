"""Run records, and what makes one count for a run."""
