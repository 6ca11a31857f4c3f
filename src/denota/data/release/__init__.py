"""The official release of a data set: downloaded, unpacked, checked and put in place."""

from denota.data.release.fetch import Fetched, fetch

__all__ = ["Fetched", "fetch"]
