"""The commands: one module each, imported when first used (see `nominee.cli.main`)."""
