"""What makes workloads work: one controller an idea, over the verbs and the store, without HTTP.

A controller turns changes into keys, and a key into writes: `reconcile(key)` compares what an object
asks for with what there is, does the next thing and leaves the rest to the change that this causes.
`runner` drives them all; rules and wordings are those of kube-controller-manager, v1.37.
"""
