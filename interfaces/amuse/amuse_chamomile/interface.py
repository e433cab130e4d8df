"""Chamomile in AMUSE: gravity by a hybrid treecode on GPU or SIMD, with the field at any points."""
from amuse.community import CodeInterface, LegacyFunctionSpecification, legacy_function
from amuse.community.interface.gd import (GravitationalDynamics, GravitationalDynamicsInterface, GravityFieldCode,
                                          GravityFieldInterface)
from amuse.community.interface.stopping_conditions import StoppingConditionInterface, StoppingConditions
from amuse.units import nbody_system

# name, type, unit, default, what it is
PARAMETERS = [
    ("time_step", "float64", nbody_system.time, 1.0 / 64, "step length of the leapfrog"),
    ("tolerance", "float64", None, 0.001, "tree: max error of a cell as a fraction of the acceleration"),
    ("eta", "float64", None, 0.01, "accuracy of Hermite steps"),
    ("integrator", "string", None, "leapfrog", "leapfrog, or hermite: individual block steps, direct sums"),
    ("solver", "string", None, "tree", "tree or direct"),
    ("device", "string", None, "auto", "auto, cpu, gpu, gpu:1"),
    ("precision", "string", None, "float", "float (sums in double) or double"),
]


def _getter(name, kind):
    def function():
        specification = LegacyFunctionSpecification()
        specification.addParameter("value", dtype=kind, direction=specification.OUT)
        specification.result_type = "int32"
        return specification
    function.__name__ = name
    return legacy_function(function)


def _setter(name, kind):
    def function():
        specification = LegacyFunctionSpecification()
        specification.addParameter("value", dtype=kind, direction=specification.IN)
        specification.result_type = "int32"
        return specification
    function.__name__ = name
    return legacy_function(function)


def _of_particles(name, direction):
    """A length of each particle, to get (OUT) or set (IN)."""
    def function():
        specification = LegacyFunctionSpecification()
        specification.can_handle_array = True
        specification.addParameter("index_of_the_particle", dtype="int32", direction=specification.IN)
        specification.addParameter(name[4:], dtype="float64", direction=getattr(specification, direction))
        specification.result_type = "int32"
        return specification
    function.__name__ = name
    return legacy_function(function)


class ChamomileInterface(CodeInterface, GravitationalDynamicsInterface, GravityFieldInterface,
                         StoppingConditionInterface):
    """Functions return 0, or -1 for an error (get_error returns its text) or an unknown particle."""

    include_headers = ["worker_code.h", "stopcond.h"]

    def __init__(self, **options):
        CodeInterface.__init__(self, name_of_the_worker="chamomile_worker", **options)

    get_error = _getter("get_error", "string")

    @legacy_function
    def set_option():
        """Sets any other option of forces and time integration by name, such as "block_steps", "true"."""
        specification = LegacyFunctionSpecification()
        for name in ("name", "value"):
            specification.addParameter(name, dtype="string", direction=specification.IN)
        specification.result_type = "int32"
        return specification

    # Plummer softening of a particle; default: root of eps2. A pair uses the larger, unless the
    # option softening_rule differs.
    get_softening_length = _of_particles("get_softening_length", "OUT")
    set_softening_length = _of_particles("set_softening_length", "IN")

    set_time_step = _setter("set_time_step", "float64")
    for _name, _kind, *_ in PARAMETERS[1:]:
        locals()["get_" + _name] = _getter("get_" + _name, _kind)
        locals()["set_" + _name] = _setter("set_" + _name, _kind)
    del _name, _kind, _


class _Fault:
    """Reads the code's last error message when AMUSE formats its error."""

    def __init__(self, code):
        self._code = code

    def __str__(self):
        return self._code.legacy_interface.get_error()["value"]


class Chamomile(GravitationalDynamics, GravityFieldCode):
    """Chamomile works in N-body units (G = 1), or in any units with a converter. The eps of a field call is combined in quadrature with the code's."""

    def __init__(self, unit_converter=None, **options):
        self.stopping_conditions = StoppingConditions(self)
        GravitationalDynamics.__init__(self, ChamomileInterface(**options), unit_converter, **options)

    def define_errorcodes(self, handler):
        handler.add_errorcode(-1, _Fault(self))

    def define_state(self, handler):
        GravitationalDynamics.define_state(self, handler)
        GravityFieldCode.define_state(self, handler)
        handler.add_transition("RUN", "UPDATE", "set_state", False)
        handler.add_method("UPDATE", "set_state")
        handler.add_transition("RUN", "UPDATE", "set_softening_length", False)
        for state in ("EDIT", "UPDATE"):
            handler.add_method(state, "set_softening_length")
        for state in ("EDIT", "UPDATE", "RUN", "EVOLVED"):
            handler.add_method(state, "get_softening_length")
        for name in ("get_state", "get_mass", "get_radius", "get_position", "get_velocity"):
            for state in ("EDIT", "UPDATE", "EVOLVED"):
                handler.add_method(state, name)
        for name in ("get_radius", "get_acceleration"):
            handler.add_method("RUN", name)
        self.stopping_conditions.define_state(handler)

    def define_parameters(self, handler):
        handler.add_method_parameter("get_begin_time", "set_begin_time", "begin_time", "time of the first step",
                                     default_value=0.0 | nbody_system.time)
        handler.add_method_parameter("get_eps2", "set_eps2", "epsilon_squared", "square of the Plummer softening",
                                     default_value=0.0 | nbody_system.length**2)
        for name, _, unit, default, description in PARAMETERS:
            handler.add_method_parameter("get_" + name, "set_" + name, "timestep" if name == "time_step" else name,
                                         description, default_value=default if unit is None else default | unit)
        self.stopping_conditions.define_parameters(handler)

    def define_methods(self, handler):
        GravitationalDynamics.define_methods(self, handler)
        handler.add_method("get_eps2", (), (nbody_system.length**2, handler.ERROR_CODE))
        handler.add_method("set_eps2", (nbody_system.length**2,), (handler.ERROR_CODE,))
        handler.add_method("get_softening_length", (handler.INDEX,), (nbody_system.length, handler.ERROR_CODE))
        handler.add_method("set_softening_length", (handler.INDEX, nbody_system.length), (handler.ERROR_CODE,))
        handler.add_method("get_begin_time", (), (nbody_system.time, handler.ERROR_CODE))
        handler.add_method("set_begin_time", (nbody_system.time,), (handler.ERROR_CODE,))
        handler.add_method("get_error", (), (handler.NO_UNIT, handler.ERROR_CODE))
        handler.add_method("set_option", (handler.NO_UNIT,) * 2, (handler.ERROR_CODE,))
        for name, _, unit, _, _ in PARAMETERS:
            unit = handler.NO_UNIT if unit is None else unit
            handler.add_method("set_" + name, (unit,), (handler.ERROR_CODE,))
            handler.add_method("get_" + name, (), (unit, handler.ERROR_CODE))
        handler.add_method("get_gravity_at_point", (nbody_system.length,) * 4,
                           (nbody_system.acceleration,) * 3 + (handler.ERROR_CODE,))
        handler.add_method("get_potential_at_point", (nbody_system.length,) * 4,
                           (nbody_system.potential, handler.ERROR_CODE))
        self.stopping_conditions.define_methods(handler)

    def define_particle_sets(self, handler):
        GravitationalDynamics.define_particle_sets(self, handler)
        handler.add_getter("particles", "get_acceleration", names=("ax", "ay", "az"))
        handler.add_getter("particles", "get_softening_length", names=("softening_length",))
        handler.add_setter("particles", "set_softening_length", names=("softening_length",))
        handler.add_getter("particles", "get_potential", names=("potential_in_code",))
        self.stopping_conditions.define_particle_set(handler)
