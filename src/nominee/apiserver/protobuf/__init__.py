"""Bodies in protobuf, which typed clients in Go prefer: read into the trees that JSON would have given.

Answers are JSON all the same: who sends protobuf says that it accepts both.
"""
