"""PodTopologySpread: pods that belong together are spread evenly over zones, racks or nodes.

constraints.py  what a pod asks for, compiled
defaults.py     what a pod without constraints is given
domains.py      which nodes count, and to which domain each belongs
filtering.py    DoNotSchedule
scoring.py      ScheduleAnyway
hints.py        which events may help a rejected pod
plugin.py       the plugin
"""

from nominee.plugins.pod_topology_spread.plugin import PodTopologySpread

__all__ = ["PodTopologySpread"]
