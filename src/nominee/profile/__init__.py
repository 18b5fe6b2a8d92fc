"""The registry of plugins and the profile that runs them."""
