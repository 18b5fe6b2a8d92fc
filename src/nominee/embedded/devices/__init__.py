"""Devices: offered by simulated nodes, claimed by pods, made ready in their time."""
