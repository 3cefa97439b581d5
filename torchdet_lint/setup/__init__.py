"""Putting torchdet-lint into a project (`torchdet-lint init`): what would be written, and where something is already."""
