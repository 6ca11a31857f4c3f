"""Teaching: what people say is right becomes lessons, and lessons change scores."""
