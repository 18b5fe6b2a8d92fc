"""Who owns which field of an object, and what server-side apply makes of that.

After sigs.k8s.io/structured-merge-diff v6 and apimachinery/pkg/util/managedfields, v1.37.
"""
