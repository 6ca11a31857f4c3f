"""One server: a REST API and a page, offline, for conversations about tables."""
