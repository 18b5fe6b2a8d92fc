"""The scheduling queue: active, backing off, unschedulable, gated.

queued_pod.py         a pod as it waits: QueuedPod
scheduling_queue.py   SchedulingQueue: where pods come in, wait and leave; moves between the parts below
heap.py, active pods: a Heap ordered by QueueSort
backoff.py            two more heaps, ordered by when back-off ends
unschedulable.py      the rest, filed under the plugins that rejected or gate them
in_flight.py          pods under way, and what happened in the meantime
hints.py              whether an event is worth a retry, by asking the rejecting plugins
gate.py               PreEnqueue
pod_events.py, node_events.py   which events an update amounts to
nominator.py          when nominations in the cluster's state follow a pod
observer.py           what metrics want to hear
check.py              the invariants
"""
