"""Many questions answered by many workers: this machine's processes, a Ray or a Spark cluster.

The work is cut into chunks (`chunks`), whose answers are files in a folder that all workers see
(`work`). A chunk's file is there whole or not at all, so whoever is killed, what is missing is
answered again, by anybody, and every question has one answer.
"""
