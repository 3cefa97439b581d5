"""How fast torchdet-lint is, beside other linters and beside what it could not do without. `python -m benchmarks --help`."""
