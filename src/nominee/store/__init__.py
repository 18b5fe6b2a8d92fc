"""Versioned objects and watch, without HTTP: memory for speed, SQLite for what must survive."""
