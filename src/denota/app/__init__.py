"""What people meet: the command line, the Python API, the server.

The small matrix products of a space lose time when numpy's library shares each among threads, so it
is told to use one unless the user says otherwise. That must happen before numpy is imported.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from denota.app.paths import user_cache
from denota.cache import find_cache_with
from denota.imported import when_imported

find_cache_with(user_cache)
when_imported("denota.tables.credentials", "denota.app.passwords", "look_for_passwords")
