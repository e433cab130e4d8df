"""Exceptions of chamomile: one class per kind of error, with one-line messages."""


class Error(Exception):
    """Base class of all errors below."""


class UsageError(Error, ValueError):
    """An option that is unknown, out of range or in conflict with another option."""


class InputError(Error, ValueError):
    """Invalid values, shapes or files, such as non-finite numbers, negative masses, overlapping arrays."""


class OutputError(Error, OSError):
    """A file that cannot be written."""


class DeviceError(Error, RuntimeError):
    """A missing or failing GPU."""


class NumericError(Error, ArithmeticError):
    """Non-finite numbers or too short steps in a simulation."""


class RestartError(Error, RuntimeError):
    """A state from which a run cannot continue."""


class InaccurateError(Error, ArithmeticError):
    """A run with an energy error above max_energy_error. Its folder contains a checkpoint."""


class StateError(Error, RuntimeError):
    """A call in the wrong order, from two threads at once, or in a forked process."""
