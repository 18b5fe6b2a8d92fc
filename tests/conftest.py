"""What all tests share: how Hypothesis searches.

``ci`` (the default) tries the same examples on every run, so that a red test is red for everybody;
``HYPOTHESIS_PROFILE=long``, or ``NOMINEE_LONG=1``, searches at random and long, for a night or a doubt.
"""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=100, database=None)
settings.register_profile(
    "long", deadline=None, max_examples=5000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("long" if os.environ.get("NOMINEE_LONG") else "ci")
)
