"""Teaching: what people say is right becomes lessons, and lessons become what is added to scores."""
