"""From files to modules, the names they bind, and the programs they make up."""
