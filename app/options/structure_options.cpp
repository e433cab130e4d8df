#include "app/options/structure_options.hpp"

#include "app/command_files.hpp"
#include "app/options/option_uses.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/particle_types.hpp"

namespace chamomile::app {

void add_analysed_matter(Options& options, AnalysedMatter& matter, const std::string& looked_at)
{
    OptionRows<AnalysedMatter> t;
    t.group("Matter");
    t.value("types", "TYPE,...", &AnalysedMatter::types, parse_particle_types,
            looked_at + "; all unless given");
    t.number("box", &AnalysedMatter::box, ranges::side,
             "side of the periodic box, for files without one")
        .in(dimensions::length);
    options.add(t.take(), matter);
}

void add_power_options(Options& options, PowerRequest& power)
{
    OptionRows<PowerRequest> t;
    t.group("Measurement");
    t.number("mesh", &PowerRequest::mesh, ranges::between(8, 8192),
             "points along a side; unless given the power of two, from 32 to 1024, next to "
             "twice the cube root of the number of particles");
    t.choice(
        "assignment", [](PowerRequest & o) -> auto& { return o.measurement.kernel; },
        {{"ngp", Assignment::nearest_point},
         {"cic", Assignment::cloud_in_cell},
         {"tsc", Assignment::triangular},
         {"pcs", Assignment::piecewise_cubic}},
        "how a particle is shared among points");
    t.choice(
        "interlacing", [](PowerRequest & o) -> auto& { return o.measurement.interlacing; },
        {{"on", Interlacing::two_meshes}, {"off", Interlacing::none}},
        "a second mesh half a cell aside, against aliases");
    t.number(
        "fold", [](PowerRequest & o) -> auto& { return o.measurement.foldings; },
        ranges::between(0, 8), "how often the box is folded and measured again, for larger k");
    t.number(
        "fold-factor", [](PowerRequest & o) -> auto& { return o.measurement.fold_factor; },
        ranges::between(2, 16), "parts of a side to fold onto each other each time");
    t.number(
        "bins", [](PowerRequest & o) -> auto& { return o.measurement.bins_per_decade; },
        ranges::between(1, 1000), "bins per decade of k, none narrower than 2 pi / side");
    options.add(t.take(), power);
}

void add_halo_options(Options& options, HaloRequest& request)
{
    OptionRows<HaloRequest> t;
    t.group("Halos");
    t.number("linking-length", &HaloRequest::linking_length, ranges::positive,
             "largest distance of friends in mean distances: of particles of the friends' "
             "mean mass at the mean density of the box");
    t.number("length", &HaloRequest::length, ranges::positive,
             "linking length; required for isolated particles")
        .in(dimensions::length);
    t.number("min-members", &HaloRequest::min_members, ranges::at_least(1),
             "fewest particles of a halo");
    t.numbers("overdensity", &HaloRequest::overdensities, ranges::positive,
              "mean densities of the spheres about centers, in mean and critical densities");
    t.text("device", &HaloRequest::device, "auto|cpu|gpu[:n]",
           "device that links particles; auto: a GPU from 4194304 particles");
    options.add(t.take(), request);
}

void add_theory_options(Options& options, TheoryRequest& theory)
{
    OptionRows<TheoryRequest> t;
    t.group("Linear theory");
    t.flag("fits", &TheoryRequest::wanted,
           "columns of linear theory and published fits, for comoving boxes");
    t.number("sigma8", &TheoryRequest::sigma8, ranges::positive,
             "root mean square density in 8 Mpc/h today; that of the file, or else that of "
             "--linear-power, or 0.811 unless given");
    t.number("n-s", &TheoryRequest::spectral_index, ranges::between(-3, 3),
             "spectral index; default: value in the file, or 0.965; with --linear-power: slope "
             "beyond the ends of the table");
    t.number("omega-b", &TheoryRequest::omega_baryon, ranges::above(0, 1),
             "of the transfer function of Eisenstein & Hu (1998); that of the file, or "
             "0.049");
    t.text("linear-power", &TheoryRequest::table, "FILE",
           "k in h/Mpc and P in (Mpc/h)^3 today, instead of that transfer function");
    t.text("transfer-table", &TheoryRequest::transfer, "FILE",
           "k and T (or CAMB's 7 columns and more), instead of it");
    options.add(t.take(), theory);
}

void require_theory(const Options& options, const TheoryRequest& theory)
{
    for (const std::string& file : {theory.table, theory.transfer})
        record_input(file);
    refuse_idle(options,
                {{!theory.wanted, "sigma8 n-s omega-b linear-power transfer-table", "needs --fits"},
                 {options.given("omega-b"), "linear-power transfer-table",
                  "contradicts --omega-b; give one"},
                 {options.given("transfer-table"), "linear-power",
                  "contradicts --transfer-table; give one"}});
}

} // namespace chamomile::app
