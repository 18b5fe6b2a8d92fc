"""What live and embedded share: the core's loop in asyncio, and how effects are carried out."""

from nominee.driver.driver import Driver, drive
from nominee.driver.ports import Cluster

__all__ = ["Cluster", "Driver", "drive"]
