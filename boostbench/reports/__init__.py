"""Reports: tables, figures, claims and pages made from run records, without any training."""
