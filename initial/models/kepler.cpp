#include "chamomile/initial/models/kepler.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/core/number_text.hpp"
#include "chamomile/initial/models/model.hpp"

namespace chamomile {

RelativeOrbit orbit_before_pericenter(double total_mass, double eccentricity, double pericenter,
                                      double distance)
{
    require(total_mass > 0, "total mass", total_mass, "must be positive");
    require(eccentricity >= 0 && std::isfinite(eccentricity), "eccentricity", eccentricity,
            "must be at least 0");
    require(pericenter > 0 && std::isfinite(pericenter), "pericenter", pericenter,
            "must be positive");
    require(distance >= pericenter && std::isfinite(distance), "separation", distance,
            "must be at least the pericenter distance, " + number_text(pericenter));
    if (eccentricity < 1)
        require(distance * (1 - eccentricity) <= pericenter * (1 + eccentricity) * (1 + 1e-12),
                "separation", distance,
                "must be at most the apocenter distance, " +
                    number_text(pericenter * (1 + eccentricity) / (1 - eccentricity)));

    // r = p / (1 + e cos f); v = sqrt(M / p) (-sin f, e + cos f).
    const double p = pericenter * (1 + eccentricity);
    const double cosine =
        eccentricity > 0 ? std::clamp((p / distance - 1) / eccentricity, -1.0, 1.0) : 1;
    const double sine = -std::sqrt((1 - cosine) * (1 + cosine)); // f < 0: before pericenter
    const double speed = std::sqrt(total_mass / p);
    return {{distance * cosine, distance * sine, 0},
            {-speed * sine, speed * (eccentricity + cosine), 0}};
}

Snapshot make_two_body(const TwoBodyOptions& options)
{
    const double a = options.semi_major_axis, e = options.eccentricity, q = options.mass_ratio;
    require(a > 0 && std::isfinite(a), "semi-major axis", a, "must be positive");
    require(e >= 0 && e < 1, "eccentricity", e, "must be at least 0 and below 1");
    require(q > 0 && std::isfinite(q), "mass ratio", q, "must be positive");
    const double r = a * (1 - e), v = std::sqrt((1 + e) / r); // at pericenter
    Snapshot snapshot = equal_mass_snapshot(2, 1, halo_type);
    snapshot.provenance = {{"model", "two-body"}};
    Particles& bodies = snapshot.particles;
    bodies.mass = {1 / (1 + q), q / (1 + q)};
    bodies.position = {{-bodies.mass[1] * r, 0, 0}, {bodies.mass[0] * r, 0, 0}};
    bodies.velocity = {{0, -bodies.mass[1] * v, 0}, {0, bodies.mass[0] * v, 0}};
    options.size.apply(1, snapshot);
    return snapshot;
}

} // namespace chamomile
