"""Decode, default, validate: the one way in which the rest of nominee gets its configuration."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from nominee.config.decode import decode
from nominee.config.defaults import with_defaults
from nominee.config.features import FeatureGates
from nominee.config.field import InvalidConfigurationError
from nominee.config.read import Data
from nominee.config.types import Configuration
from nominee.config.validation import unknown_plugins, validate


def load_config(
    origin: str | Path | bytes | Data | None = None,
    *,
    features: FeatureGates | None = None,
    source: str | None = None,
    require_kind: bool = True,
    known_plugins: Collection[str] | None = None,
) -> Configuration:
    """The complete, valid configuration of a file (str, Path), its text (bytes) or its data (dict).

    None is the default configuration. ``source`` names the origin in errors where it is not
    a file. With ``require_kind=False`` apiVersion and kind may be absent. ``known_plugins``
    restricts the names that may be enabled. Raises ConfigError, which lists all faults.
    """
    features = features or FeatureGates()
    decoded = Configuration() if origin is None else decode(origin, source=source, require_kind=require_kind)
    configuration = with_defaults(decoded, features)
    errors = validate(configuration, features)
    if known_plugins is not None:
        errors += unknown_plugins(decoded, known_plugins)
    if errors:
        if source is None and isinstance(origin, str | Path):
            source = str(origin)
        raise InvalidConfigurationError(errors, source)
    return configuration
