#include "app/options/structure_options.hpp"

#include "app/command_files.hpp"
#include "app/options/option_uses.hpp"
#include "chamomile/core/error.hpp"
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

std::array<std::uint8_t, 6> new_types(const std::string& option, const std::string& text)
{
    std::array<std::uint8_t, 6> types = {0, 1, 2, 3, 4, 5};
    const auto type_of = [&](const std::string& word) {
        for (std::size_t type = 0; type < type_names.size(); ++type)
            if (word == type_names[type] || word == std::to_string(type))
                return std::uint8_t(type);
        throw Error(Fault::usage, option + ": " + text + ": " +
                                      (word.empty() ? "a type is missing"
                                                    : word + ": is no type: 0 to 5 or a name is "
                                                             "needed, as in disk=stars"));
    };
    std::array<bool, 6> seen{};
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(',', start), text.size());
        const std::string item = text.substr(start, end - start);
        start = end + 1;
        const std::size_t equals = item.find('=');
        if (equals == item.npos)
            throw Error(Fault::usage,
                        option + ": " + text + ": TYPE=TYPE is needed, as in disk=stars");
        const std::uint8_t from = type_of(item.substr(0, equals));
        if (std::exchange(seen[from], true))
            throw Error(Fault::usage, option + ": " + text + ": type " + std::to_string(from) +
                                          " is given twice");
        types[from] = type_of(item.substr(equals + 1));
    }
    return types;
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
                   "largest distance of friends in mean distances: of particles of the friends' "
                   "mean mass at the mean density of the box");
    options.number("length", request.length, positive,
                   "the same as a length; isolated particles need it", dimensions::length);
    options.number("min-members", request.min_members, at_least(1), "fewest particles of a halo");
    options.numbers("overdensity", request.overdensities, positive,
                    "mean densities of the spheres about centers, in mean and critical densities");
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
        record_input(file);
    refuse_idle(options,
                {{!theory.wanted, "sigma8 n-s omega-b linear-power transfer-table", "needs --fits"},
                 {options.given("omega-b"), "linear-power transfer-table",
                  "contradicts --omega-b; give one"},
                 {options.given("transfer-table"), "linear-power",
                  "contradicts --transfer-table; give one"}});
}

} // namespace chamomile::app
