"""Changes of objects as clients ask for them: pure functions, which share what they do not change."""
