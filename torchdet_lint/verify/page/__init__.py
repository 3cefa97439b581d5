"""The report of a verification as a self-contained page: two runs beside each other, and what that says of each finding."""
