"""Jobs: pods that run to their end, so many times.

Reproduces pkg/controller/job and pkg/controller/ttlafterfinished, v1.37, but for success policies,
pod failure policies and workloads made from jobs.
"""

from nominee.embedded.controllers.job.controller import JobController

__all__ = ["JobController"]
