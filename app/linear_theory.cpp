#include "app/linear_theory.hpp"

#include <cmath>

#include "app/analysed.hpp"
#include "app/comoving_run.hpp"
#include "core/error.hpp"
#include "cosmology/growth.hpp"

namespace chamomile::app {
namespace {

Background checked_background(const Snapshot& snapshot)
{
    if (!snapshot.comoving || !snapshot.units.physical)
        throw Error(Fault::usage, "--fits: the file is not in comoving coordinates of physical "
                                  "units: there is no theory for it");
    return background_of(*snapshot.comoving);
}

PowerOptions power_of(const TheoryRequest& request, const Background& background)
{
    PowerOptions power = request.power;
    power.background = background;
    if (!request.table.empty()) {
        power.transfer = TransferKind::power_table;
        power.table = request.table;
    }
    return power;
}

double growth_since(const Background& background, double a)
{
    return growth(background, a).D1 / growth(background, 1).D1;
}

} // namespace

void add_theory_options(Options& options, TheoryRequest& theory)
{
    options.group("Linear theory");
    options.flag("fits", theory.wanted,
                 "columns of linear theory and published fits, for comoving boxes");
    options.number("sigma8", theory.power.sigma8, positive,
                   "root mean square density in 8 Mpc/h today; 0.811 or the table's unless given");
    options.number("n-s", theory.power.spectral_index, between(-3, 3), "spectral index");
    options.number("omega-b", theory.power.omega_baryon, above(0, 1),
                   "of the transfer function of Eisenstein & Hu (1998)");
    options.text("linear-power", "FILE", theory.table,
                 "k in h/Mpc and P in (Mpc/h)^3 today, instead of that transfer function");
}

Theory::Theory(const TheoryRequest& request, const Snapshot& snapshot)
    : background_(checked_background(snapshot)), linear_(power_of(request, background_)),
      growth_squared_(std::pow(growth_since(background_, snapshot.comoving->scale_factor), 2)),
      to_per_hubble_(snapshot.units.per_hubble ? 1 : background_.hubble),
      halofit_([this](double k) { return linear(k); }, background_,
               snapshot.comoving->scale_factor),
      mass_function_(linear_, background_, redshift_of(snapshot))
{}

std::unique_ptr<Theory> make_theory(const TheoryRequest& request, const Snapshot& snapshot)
{
    return request.wanted ? std::make_unique<Theory>(request, snapshot) : nullptr;
}

} // namespace chamomile::app
