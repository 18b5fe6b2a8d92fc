"""The API over HTTP: a small server of its own, and what clients may ask of it."""
