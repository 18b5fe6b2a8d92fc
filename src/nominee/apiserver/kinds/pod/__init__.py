"""The rules of pods, which templates of pods share: defaults, validation, changes, status, cells."""
