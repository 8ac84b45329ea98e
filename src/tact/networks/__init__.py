"""Networks that hear speech and voices: the environment of ``requirements/diarize.txt``.

Nothing here is imported by the core, and torch only once a network is asked for.
"""
