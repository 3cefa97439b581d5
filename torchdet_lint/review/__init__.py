"""What a bot says about a change: the findings that it introduces, where, as comments, and how they reach a pull request."""
