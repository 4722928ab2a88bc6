"""Tables: their cells, and their forms in the terminal, Markdown, LaTeX and CSV."""
