"""Values of runs and papers, for tables, figures and claims."""
