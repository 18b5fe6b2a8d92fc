"""Victims, candidates, disruption budgets, and the choice of one node."""

from nominee.preemption.advice import ADVICE, Advice
from nominee.preemption.candidates import Candidates, from_victims
from nominee.preemption.eligibility import Eligibility, may_preempt
from nominee.preemption.evaluation import Evaluation, evaluate
from nominee.preemption.memory import PreemptionMemory
from nominee.preemption.plugin import DefaultPreemption

__all__ = [
    "ADVICE",
    "Advice",
    "Candidates",
    "DefaultPreemption",
    "Eligibility",
    "Evaluation",
    "PreemptionMemory",
    "evaluate",
    "from_victims",
    "may_preempt",
]
