"""Tables of reports, and their output to terminal, Markdown, LaTeX and CSV."""
