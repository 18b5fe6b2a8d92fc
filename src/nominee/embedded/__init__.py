"""`nominee up`: a control plane in one process, with nodes that are not there."""
