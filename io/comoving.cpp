#include "io/comoving.hpp"

#include <cmath>

#include "io/number_text.hpp"

namespace chamomile {

void recognise_comoving(const BackgroundHeader& header, Snapshot& snapshot)
{
    if (header.omega_lambda == 0 && header.redshift == 0)
        return;
    const double scale_factor = 1 / (1 + header.redshift);
    if (!(std::abs(header.time - scale_factor) <= 1e-3 * scale_factor)) {
        snapshot.notes.push_back("time " + number_text(header.time) +
                                 " is not 1/(1+z) of redshift " + number_text(header.redshift) +
                                 ": read as plain, not comoving coordinates");
        return;
    }
    snapshot.comoving =
        ComovingFrame{scale_factor, header.omega_matter, header.omega_lambda, header.hubble};
}

void make_velocities_peculiar(Snapshot& snapshot)
{
    if (!snapshot.comoving)
        return;
    const double factor = velocity_factor(snapshot);
    for (Vec3<double>& velocity : snapshot.particles.velocity)
        velocity = factor * velocity;
    snapshot.notes.push_back("comoving coordinates at scale factor " +
                             number_text(snapshot.comoving->scale_factor) +
                             ": velocities read as u = v/sqrt(a) and made peculiar");
}

double velocity_factor(const Snapshot& snapshot)
{
    return snapshot.comoving ? std::sqrt(snapshot.comoving->scale_factor) : 1;
}

} // namespace chamomile
