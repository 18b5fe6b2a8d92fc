"""KubeSchedulerConfiguration and feature gates: read, completed with defaults, checked."""

from nominee.config.duration import Duration
from nominee.config.encode import to_yaml
from nominee.config.features import FeatureGates
from nominee.config.field import FieldError, InvalidConfigurationError
from nominee.config.load import load_config
from nominee.config.profiles import Enabled, expand, expand_profiles
from nominee.config.types import Configuration, Plugin, Plugins, PluginSet, Profile

__all__ = [
    "Configuration",
    "Duration",
    "Enabled",
    "FeatureGates",
    "FieldError",
    "InvalidConfigurationError",
    "Plugin",
    "PluginSet",
    "Plugins",
    "Profile",
    "expand",
    "expand_profiles",
    "load_config",
    "to_yaml",
]
