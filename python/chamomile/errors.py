"""Exceptions of chamomile: one class for each kind of fault, each with one clear line."""


class Error(Exception):
    """Any of the faults below."""


class UsageError(Error, ValueError):
    """An option that is unknown, out of range or contradicts another."""


class InputError(Error, ValueError):
    """Values, shapes or files that cannot be taken: not finite, negative masses, overlapping arrays."""


class OutputError(Error, OSError):
    """A file that cannot be written."""


class DeviceError(Error, RuntimeError):
    """A GPU that is absent or fails."""


class NumericError(Error, ArithmeticError):
    """A simulation whose numbers are no longer finite, or whose steps become too short."""


class RestartError(Error, RuntimeError):
    """A state that cannot be continued."""


class InaccurateError(Error, ArithmeticError):
    """A run whose energy error went beyond max_energy_error; its folder holds a checkpoint."""


class StateError(Error, RuntimeError):
    """A call in the wrong order, from a second thread at once, or in a forked process."""
