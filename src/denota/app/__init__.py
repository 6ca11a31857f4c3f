"""What people meet: the command line, the Python API, the server.

The small matrix products of a space lose time when numpy's library shares each among threads, so it
is told to use one unless the user says otherwise. That must happen before numpy is imported.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from denota.app.passwords import find_password
from denota.app.paths import user_cache
from denota.cache import find_cache_with
from denota.tables.credentials import find_passwords_with

find_cache_with(user_cache)
find_passwords_with(find_password)
