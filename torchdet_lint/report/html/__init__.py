"""Self-contained pages for people who would rather look: a frame with a style and a script, and pieces to fill it with."""
