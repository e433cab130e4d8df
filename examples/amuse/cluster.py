"""A star cluster in orbit through a galaxy of fixed particles, both in Chamomile, coupled by Bridge."""
import sys

from amuse.couple.bridge import Bridge
from amuse.ic.plummer import new_plummer_model
from amuse.units import nbody_system
from amuse_chamomile import Chamomile

length, time, mass, speed = nbody_system.length, nbody_system.time, nbody_system.mass, nbody_system.speed

galaxy = Chamomile(channel_type="sockets")
galaxy.parameters.epsilon_squared = 0.01 | length**2
galaxy.particles.add_particles(new_plummer_model(5000))

stars = new_plummer_model(200)
stars.mass *= 1e-4
stars.position *= 0.02
stars.velocity *= (1e-4 / 0.02)**0.5
stars.x += 1.5 | length
stars.vy += 0.5 | speed
cluster = Chamomile(channel_type="sockets")
cluster.parameters.integrator = "hermite"
cluster.parameters.epsilon_squared = 1e-6 | length**2
cluster.particles.add_particles(stars)

bridge = Bridge(use_threading=False)
bridge.timestep = 1 / 32 | time
bridge.add_system(cluster, (galaxy,))


def energy():
    """Returns the energy of the cluster in the field of the galaxy."""
    now = cluster.particles
    potential = galaxy.get_potential_at_point(0 * now.x, now.x, now.y, now.z)
    return cluster.kinetic_energy + cluster.potential_energy + (now.mass * potential).sum()


before = energy()
bridge.evolve_model(2 | time)
change = abs(energy() / before - 1)
x = cluster.particles.center_of_mass().value_in(length)
print(f"t = {bridge.model_time.value_in(time)}: cluster at {x.round(2)}, energy changed by {change:.1e} of it")
bridge.stop()
sys.exit(not change < 1e-3)
