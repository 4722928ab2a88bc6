"""What records and papers say, as numbers that tables, figures and claims share."""
