"""Tables: what a cell holds, and the faces a table has."""
