"""Checks AMUSE results from Chamomile against plain sums; check_amuse.py runs this script."""
import os
import time

import numpy
from amuse.couple.bridge import Bridge
from amuse.datamodel import Particles
from amuse.ic.plummer import new_plummer_model
from amuse.support.exceptions import AmuseException
from amuse.units import constants, nbody_system, units
from amuse_chamomile import Chamomile, ChamomileInterface

LENGTH, TIME, MASS = nbody_system.length, nbody_system.time, nbody_system.mass


def plain_field(mass, position, points, eps2):
    r = position[None] - points[:, None]
    u2 = (r**2).sum(2) + eps2[:, None]
    with numpy.errstate(divide="ignore", invalid="ignore"):
        weight = numpy.where(u2 > 0, mass / u2**0.5, 0)
        return (r * numpy.where(u2 > 0, weight / u2, 0)[:, :, None]).sum(1), -weight.sum(1)


def near(a, b, tolerance):
    error = abs(numpy.asarray(a) - numpy.asarray(b)).max() / abs(numpy.asarray(b)).max()
    assert error < tolerance, error


def plummer(n, seed=1):
    numpy.random.seed(seed)
    return new_plummer_model(n)


def made(n=200, channel="sockets", **parameters):
    code = Chamomile(channel_type=channel)
    for name, value in parameters.items():
        setattr(code.parameters, name, value)
    code.particles.add_particles(plummer(n))
    return code


def check_low_level():
    code = ChamomileInterface(channel_type="sockets")

    def refused(result, line):
        status = result["__result"] if hasattr(result, "keys") else result
        assert numpy.all(status == -1), result
        said = code.get_error()["value"]
        assert line in said and "\n" not in said, said

    refused(code.commit_particles(), "order of calls: call initialize_code first")
    assert code.initialize_code() == 0
    refused(code.new_particle(1, 0, 0, 0, 0, 0, 0, 0), "order of calls: call commit_parameters first")
    code.set_solver("twig")
    refused(code.commit_parameters(), "solver: twig: must be one of tree, direct")
    code.set_solver("tree")
    code.set_device("gpu:99")
    refused(code.commit_parameters(), "gpu:99")
    code.set_device("cpu")
    code.set_eps2(-1)
    refused(code.commit_parameters(), "eps2")
    code.set_eps2(0.25)
    assert code.commit_parameters() == 0
    refused(code.new_particle(-1, 0, 0, 0, 0, 0, 0, 0), "mass and radius")
    assert code.new_particle([1.0, 3.0], [0.0, 4.0], [0.0, 0], [0.0, 0], [0.0, 0], [0.0, 0], [0.0, 0], [0.0, 0])[
        "index_of_the_particle"].tolist() == [0, 1]
    refused(code.evolve_model(1.0), "order of calls: call commit_particles first")
    refused(code.get_potential_at_point(0.0, [1.0], [0.0], [0.0]), "order of calls: call commit_particles first")
    assert code.commit_particles() == 0
    # One point: mass 1 at distance 1, mass 3 at distance 3, softened by sqrt(0.25 + 0.5^2).
    phi = code.get_potential_at_point([0.5], [1.0], [0.0], [0.0])["phi"][0]
    near(phi, -1 / 1.5**0.5 - 3 / 9.5**0.5, 1e-6)
    near(code.get_potential(0)["potential"], -3 / 16.25**0.5, 1e-6)
    refused(code.get_mass(2), "particle 2: unknown")
    refused(code.evolve_model(float("nan")), "end time")
    assert code.evolve_model(0.3) == 0 and code.get_time()["time"] == 0.3
    refused(code.evolve_model(0.2), "end time")
    assert code.set_mass(1, 2.0) == 0
    refused(code.evolve_model(0.4), "call recommit_particles first")
    refused(code.get_potential(1), "call recommit_particles first")
    assert code.recommit_particles() == 0 and code.evolve_model(0.4) == 0
    assert code.delete_particle(0) == 0 and code.get_number_of_particles()["number_of_particles"] == 1
    assert code.get_index_of_first_particle()["index_of_the_particle"] == 1
    refused(code.get_index_of_next_particle(1), "the last: no next particle")
    refused(code.delete_particle(0), "unknown")
    refused(code.set_position(1, float("inf"), 0, 0), "must be finite")
    code.stop()


def check_fields():
    code = made(300, epsilon_squared=0.01 | LENGTH**2, tolerance=1e-5)
    mass, position = code.particles.mass.value_in(MASS), code.particles.position.value_in(LENGTH)
    points = numpy.random.default_rng(2).normal(size=(97, 3))
    points[5] = position[5]
    for eps in (numpy.zeros(97), numpy.repeat([0.0, 0.3], [40, 57]), numpy.arange(97) / 97):
        wanted, depth = plain_field(mass, position, points, 0.01 + eps**2)
        arguments = (eps | LENGTH, *(points.T | LENGTH))
        a = code.get_gravity_at_point(*arguments)
        near(numpy.transpose([x.value_in(nbody_system.acceleration) for x in a]), wanted, 1e-4)
        near(code.get_potential_at_point(*arguments).value_in(nbody_system.potential), depth, 1e-4)
    # At the particles: each excludes itself.
    near(code.particles.potential_in_code.value_in(nbody_system.potential),
         plain_field(mass, position, position, numpy.full(300, 0.01))[1] + mass / 0.1, 1e-4)
    # The field follows the particles.
    code.evolve_model(0.5 | TIME)
    position = code.particles.position.value_in(LENGTH)
    near(code.get_potential_at_point(*([0] * 97 | LENGTH, *(points.T | LENGTH))).value_in(nbody_system.potential),
         plain_field(mass, position, points, numpy.full(97, 0.01))[1], 1e-4)
    code.stop()


def check_softening_lengths():
    code = made(100, epsilon_squared=0.01 | LENGTH**2, solver="direct", precision="double")
    assert numpy.ptp(code.particles.softening_length.value_in(LENGTH)) == 0
    code.particles[::2].softening_length = 0.5 | LENGTH
    own = numpy.where(numpy.arange(100) % 2, 0.1, 0.5)
    near(code.particles.softening_length.value_in(LENGTH), own, 1e-12)
    mass, x = code.particles.mass.value_in(MASS), code.particles.position.value_in(LENGTH)
    u = (((x[None] - x[:, None])**2).sum(2) + numpy.maximum.outer(own, own)**2)**0.5
    near(code.particles.potential_in_code.value_in(nbody_system.potential), mass / own - (mass / u).sum(1), 1e-12)
    points = numpy.random.default_rng(3).normal(size=(20, 3))
    wanted = -(mass / (((x[None] - points[:, None])**2).sum(2) + numpy.maximum(own, 0.2)**2)**0.5).sum(1)
    near(code.get_potential_at_point(*([0.2] * 20 | LENGTH, *(points.T | LENGTH))).value_in(nbody_system.potential), wanted, 1e-12)
    before = code.kinetic_energy + code.potential_energy
    code.evolve_model(0.25 | TIME)
    near((code.kinetic_energy + code.potential_energy) / before, 1, 1e-3)
    code.stop()


def check_exact_times(channel):
    for integrator in ("leapfrog", "hermite"):
        code = made(64, channel, epsilon_squared=0.01 | LENGTH**2, integrator=integrator, begin_time=1 | TIME)
        before = code.kinetic_energy + code.potential_energy
        for t in (1, 1.1, 1.1 + 1e-9, 4 / 3, 1.7):
            code.evolve_model(t | TIME)
            assert code.model_time.value_in(TIME) == t, (integrator, t, code.model_time)
        near((code.kinetic_energy + code.potential_energy) / before, 1, 1e-3 if integrator == "leapfrog" else 1e-6)
        code.stop()


def check_changes():
    code = made(50, epsilon_squared=0.01 | LENGTH**2)
    code.evolve_model(0.1 | TIME)
    code.particles[0].mass = 1 | MASS
    assert code.get_name_of_current_state() == "UPDATE"
    code.evolve_model(0.2 | TIME)
    assert code.get_name_of_current_state() in ("RUN", "EVOLVED")
    code.particles.remove_particle(code.particles[3])
    code.particles.add_particles(plummer(7, seed=9))
    code.evolve_model(0.3 | TIME)
    mass, position = code.particles.mass.value_in(MASS), code.particles.position.value_in(LENGTH)
    assert len(code.particles) == 56
    near(code.potential_energy.value_in(nbody_system.energy),
         0.5 * (mass * (plain_field(mass, position, position, numpy.full(56, 0.01))[1] + mass / 0.1)).sum(), 1e-4)
    near(code.particles.total_mass().value_in(MASS), mass.sum(), 1e-12)
    code.stop()


def check_stopping_conditions():
    code = made(50, epsilon_squared=0.01 | LENGTH**2, timestep=1 / 64 | TIME)
    conditions = code.stopping_conditions
    assert set(conditions.supported_conditions()) == {"collision_detection", "timeout_detection",
                                                      "number_of_steps_detection", "out_of_box_detection"}
    code.parameters.stopping_conditions_number_of_steps = 5
    conditions.number_of_steps_detection.enable()
    code.evolve_model(1 | TIME)
    assert conditions.number_of_steps_detection.is_set() and code.model_time == 5 / 64 | TIME
    conditions.number_of_steps_detection.disable()
    code.evolve_model(0.1 | TIME)
    assert not conditions.number_of_steps_detection.is_set() and code.model_time == 0.1 | TIME
    code.parameters.stopping_conditions_timeout = 0.3 | units.s
    conditions.timeout_detection.enable()
    begin = time.time()
    code.evolve_model(1e9 | TIME)
    assert conditions.timeout_detection.is_set() and 0.25 < time.time() - begin < 10
    code.stop()

    code = made(50, epsilon_squared=0.01 | LENGTH**2)
    conditions = code.stopping_conditions
    code.particles[7].position = (20, 0, 0) | LENGTH
    code.parameters.stopping_conditions_out_of_box_size = 15 | LENGTH
    conditions.out_of_box_detection.enable()
    code.evolve_model(code.model_time + (1 | TIME))
    assert conditions.out_of_box_detection.is_set()
    assert conditions.out_of_box_detection.particles(0).key.tolist() == [code.particles[7].key]
    code.stop()

    two = Particles(3, mass=1e-6 | MASS, radius=[0.1, 0.2, 0.1] | LENGTH, x=[-1, 1, 5] | LENGTH, y=0 | LENGTH,
                    z=0 | LENGTH, vx=[1, -1, 0] | nbody_system.speed, vy=0 | nbody_system.speed,
                    vz=0 | nbody_system.speed)
    code = Chamomile(channel_type="sockets")
    code.particles.add_particles(two)
    code.stopping_conditions.collision_detection.enable()
    code.evolve_model(2 | TIME)
    found = code.stopping_conditions.collision_detection
    assert found.is_set() and {found.particles(0)[0].key, found.particles(1)[0].key} == set(two[:2].key)
    assert 0.85 <= code.model_time.value_in(TIME) < 0.87  # 2 - 2 t < 0.3
    code.stop()


def check_units_and_bridge():
    converter = nbody_system.nbody_to_si(1 | units.MSun, 1 | units.AU)
    sun = Particles(2, mass=[1, 3e-6] | units.MSun, radius=0 | units.AU)
    sun.position = [[0, 0, 0], [1, 0, 0]] | units.AU
    sun.velocity = [0, 0, 0] | units.kms
    gm = constants.G * sun.total_mass()
    sun[1].vy = (gm / (1 | units.AU)).sqrt()
    code = Chamomile(converter, channel_type="sockets")
    code.parameters.integrator = "hermite"
    code.parameters.eta = 0.001
    code.particles.add_particles(sun)
    code.evolve_model(2 * numpy.pi * ((1 | units.AU)**3 / gm).sqrt())
    x = (code.particles[1].position - code.particles[0].position).value_in(units.AU)
    near(x, [1, 0, 0], 1e-4)
    code.stop()

    a, b = made(100, epsilon_squared=0.01 | LENGTH**2), made(100, epsilon_squared=0.01 | LENGTH**2)
    b.particles.position += [3, 0, 0] | LENGTH
    bridge = Bridge(use_threading=False)
    bridge.timestep = 1 / 32 | TIME
    bridge.add_system(a, (b,))
    bridge.add_system(b, (a,))
    start = a.particles.center_of_mass().x - b.particles.center_of_mass().x
    bridge.evolve_model(1 | TIME)
    drawn = a.particles.center_of_mass().x - b.particles.center_of_mass().x - start
    near(drawn.value_in(LENGTH), 1 / 9, 0.2)  # a t^2 / 2, a = 2 / 3^2
    bridge.stop()


def check_errors_do_not_hang():
    code = Chamomile(channel_type="sockets")
    twice = plummer(2)
    twice.position = [0, 0, 0] | LENGTH
    code.particles.add_particles(twice)
    try:
        code.evolve_model(1 | TIME)
        raise AssertionError("two coincident particles raised no error")
    except AmuseException as error:
        assert "place" in code.get_error() or "coincide" in code.get_error(), code.get_error()
        assert code.get_error() in str(error), error
    code.stop()


check_low_level()
check_fields()
check_softening_lengths()
check_exact_times("sockets")
if not os.environ.get("CHAMOMILE_AMUSE_NO_MPI"):
    check_exact_times("mpi")
check_changes()
check_stopping_conditions()
check_units_and_bridge()
check_errors_do_not_hang()
print("passed: interface, fields, softenings, times, states, stopping conditions, units, Bridge")
