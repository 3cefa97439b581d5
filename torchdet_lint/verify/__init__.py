"""The companion: runs a sample of a program, or probes of single calls, and says which findings can be seen at work.

The only room that imports torch, and only inside of processes that it starts. Nothing of a user's is run unless `verify` was
asked for.
"""
