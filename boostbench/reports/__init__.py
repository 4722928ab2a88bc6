"""Reports: from run records to tables, figures and the page. Nothing here trains anything."""
