"""Numbers of records and papers that tables, figures and claims share."""
