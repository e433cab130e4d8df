#include "app/options/structure_options.hpp"

#include "app/command_files.hpp"
#include "app/options/option_uses.hpp"
#include "chamomile/core/particle_types.hpp"

namespace chamomile::app {

void add_types(Options& options, std::vector<int>& types, const std::string& help)
{
    std::vector<std::pair<std::string, int>> words;
    for (int type = 0; type < int(type_names.size()); ++type)
        words.emplace_back(std::to_string(type), type);
    for (int type = 0; type < int(type_names.size()); ++type)
        words.emplace_back(type_names[std::size_t(type)], type);
    options.choices("types", "TYPE,...", types, words, help);
}

void add_analysed_matter(Options& options, AnalysedMatter& matter, const std::string& looked_at)
{
    options.group("Matter");
    add_types(options, matter.types, looked_at + "; all unless given");
    options.number("box", matter.box, ranges::side,
                   "side of the periodic box, for files that do not state it", dimensions::length);
}

void add_power_options(Options& options, PowerRequest& power)
{
    PowerSpectrumOptions& o = power.measurement;
    options.group("Measurement");
    options.number("mesh", power.mesh, between(8, 8192),
                   "points along a side; unless given the power of two, from 32 to 1024, next to "
                   "twice the cube root of the number of particles");
    options.choice("assignment", o.kernel,
                   {{"ngp", Assignment::nearest_point},
                    {"cic", Assignment::cloud_in_cell},
                    {"tsc", Assignment::triangular},
                    {"pcs", Assignment::piecewise_cubic}},
                   "how a particle is shared among points");
    options.choice("interlacing", o.interlacing,
                   {{"on", Interlacing::two_meshes}, {"off", Interlacing::none}},
                   "a second mesh half a cell aside, against aliases");
    options.number("fold", o.foldings, between(0, 8),
                   "how often the box is folded and measured again, for larger k");
    options.number("fold-factor", o.fold_factor, between(2, 16),
                   "parts of a side that are laid on each other each time");
    options.number("bins", o.bins_per_decade, between(1, 1000),
                   "bins per decade of k, none narrower than 2 pi / side");
}

void add_halo_options(Options& options, HaloRequest& request)
{
    options.group("Halos");
    options.number("linking-length", request.linking_length, positive,
                   "largest distance of friends in mean distances of the particles in the box");
    options.number("length", request.length, positive,
                   "the same as a length; isolated particles need it", dimensions::length);
    options.number("min-members", request.min_members, at_least(1), "fewest particles of a halo");
    options.numbers("overdensity", request.overdensities, positive,
                    "mean densities of the spheres about centres, in mean and critical densities");
}

void add_theory_options(Options& options, TheoryRequest& theory)
{
    options.group("Linear theory");
    options.flag("fits", theory.wanted,
                 "columns of linear theory and published fits, for comoving boxes");
    options.number("sigma8", theory.sigma8, positive,
                   "root mean square density in 8 Mpc/h today; that of the file, or else that of "
                   "--linear-power, or 0.811 unless given");
    options.number("n-s", theory.spectral_index, between(-3, 3),
                   "spectral index; that of the file, or 0.965; of --linear-power what its ends "
                   "are continued with");
    options.number("omega-b", theory.omega_baryon, above(0, 1),
                   "of the transfer function of Eisenstein & Hu (1998); that of the file, or "
                   "0.049");
    options.text("linear-power", "FILE", theory.table,
                 "k in h/Mpc and P in (Mpc/h)^3 today, instead of that transfer function");
    options.text("transfer-table", "FILE", theory.transfer,
                 "k and T (or CAMB's 7 columns and more), instead of it");
}

void require_theory(const Options& options, const TheoryRequest& theory)
{
    for (const std::string& file : {theory.table, theory.transfer})
        note_input(file);
    refuse_idle(options,
                {{!theory.wanted, "sigma8 n-s omega-b linear-power transfer-table", "needs --fits"},
                 {options.given("omega-b"), "linear-power transfer-table",
                  "contradicts --omega-b; give one"},
                 {options.given("transfer-table"), "linear-power",
                  "contradicts --transfer-table; give one"}});
}

} // namespace chamomile::app
