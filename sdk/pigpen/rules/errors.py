"""
What can go wrong between a table and the rules.

RulesError
├── IllegalAction   the action is not allowed now; the message says which rule it breaks
└── DealOver        the deal has no next decision
"""

from __future__ import annotations


class RulesError(ValueError):
    """Something that the rules do not allow."""


class IllegalAction(RulesError):
    """The action is not allowed now."""


class DealOver(RulesError):
    """The deal has no next decision."""
