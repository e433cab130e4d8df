/// \file  `chamomile model`: writes the built-in initial models.
#include <functional>
#include <type_traits>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/models/model_cosmology.hpp"
#include "app/models/model_galaxy.hpp"
#include "app/models/model_spheres.hpp"
#include "app/options/command_page.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/options.hpp"
#include "app/program.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/options/nearest_name.hpp"
#include "chamomile/initial/models/model_rows.hpp"

namespace chamomile::app {
namespace {

using Arguments = std::vector<std::string>;

/// Writes a model that has a size. `check` refuses options without effect.
template <class Model>
int write_model(
    Model model, const std::string& name, const std::string& what,
    const std::vector<OptionRow<Model>>& rows, Snapshot (*make)(const Model&),
    const Arguments& arguments,
    const std::type_identity_t<std::function<void(const Options&, const Model&)>>& check = {})
{
    Output output;
    Options options("model " + name, what + " With units: kpc, 1e10 Msun, km/s.");
    if constexpr (requires { model.seed; })
        options.add(number_and_seed_rows<Model>(), model);
    options.add(rows, model);
    add_output(options, output);
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    model.size.physical = options.has_units();
    options.set_units({Units::gadget(false)});
    if (check)
        check(options, model);
    return write_output(options, output, [&] { return make(model); });
}

int plummer(const Arguments& arguments)
{
    return write_model(
        PlummerOptions(), "plummer",
        "Writes an isotropic Plummer sphere, in N-body units unless asked otherwise: G = M = 1, E "
        "= -1/4.",
        plummer_rows(), make_plummer, arguments,
        [](const Options& options, const PlummerOptions& model) {
            refuse_idle(options, idle_options(model.stars));
            refuse_idle(options, {{counts_stars(model.stars, model.size.physical), "particles",
                                   "contradicts --imf and --mass, which give it"}});
            record_population(model.stars);
        });
}

int cold_sphere(const Arguments& arguments)
{
    return write_model(UniformOptions(), "cold-sphere",
                       "Writes a uniform sphere at rest, G = M = R = 1 unless asked otherwise.",
                       uniform_rows(), make_cold_sphere, arguments);
}

int cube(const Arguments& arguments)
{
    return write_model(
        UniformOptions(), "cube",
        "Writes particles at rest in a cube, of side 1 and G = M = 1 unless asked otherwise.",
        uniform_rows(), make_cube, arguments);
}

int two_body(const Arguments& arguments)
{
    return write_model(TwoBodyOptions(), "two-body",
                       "Writes two bodies on a Kepler orbit, at pericenter, G = m1 + m2 = 1 unless "
                       "asked otherwise.",
                       two_body_rows(), make_two_body, arguments);
}

int disk(const Arguments& arguments)
{
    return write_model(ThinDiskOptions(), "disk",
                       "Writes a thin exponential disk on circular orbits, G = R_d = 1 and mass 1 "
                       "without truncation unless asked otherwise: a test of forces, not in "
                       "equilibrium.",
                       thin_disk_rows(), make_thin_disk, arguments);
}

constexpr Command kinds[] = {
    {"plummer", "Plummer sphere in N-body units, E = -1/4", plummer},
    {"hernquist", "Hernquist sphere", model_hernquist},
    {"nfw", "NFW halo", model_nfw},
    {"einasto", "Einasto halo", model_einasto},
    {"king", "King sphere: a globular cluster", model_king},
    {"exponential", "sphere with an exponential surface density: a bulge", model_exponential},
    {"spheres", "several spheres in equilibrium with each other", model_spheres},
    {"cold-sphere", "uniform sphere at rest: cold collapse", cold_sphere},
    {"cube", "uniform cube at rest: a test of forces", cube},
    {"two-body", "Kepler orbit", two_body},
    {"disk", "thin exponential disk: a test of forces", disk},
    {"galaxy", "disk, bulge and halo in equilibrium", model_galaxy},
    {"merger", "two such galaxies on a Kepler orbit", model_merger},
    {"cosmology", "a periodic box at high redshift, by 2LPT", model_cosmology},
};

/// Options of mass and size that a model cannot have, with the reason.
constexpr struct {
    const char *kind, *option, *because;
} no_sizes[] = {
    {"two-body", "--r-half", "two bodies have no half-mass radius; give --semi-major-axis"},
    {"spheres", "--mass", "give each sphere its mass, such as king,mass=1e5Msun"},
    {"spheres", "--r-half", "give each sphere its radius, such as king,r-half=3pc"},
    {"galaxy", "--r-half", "disk, bulge and halo have a scale each; give --disk-scale and others"},
    {"merger", "--r-half", "disk, bulge and halo have a scale each; give --disk-scale and others"},
    {"cosmology", "--mass", "the mass follows from --box and the mean density"},
    {"cosmology", "--r-half", "a periodic box has no half-mass radius"},
};

void refuse_sizes(const std::string& kind, const Arguments& arguments)
{
    for (const auto& row : no_sizes)
        for (const std::string& argument : arguments)
            if (kind == row.kind && argument.substr(0, argument.find('=')) == row.option)
                throw Error(Fault::usage, "model " + kind + ": " + row.option + ": " + row.because);
}

void show_kinds()
{
    CommandPage page{
        .command = "model", .summary = "Writes initial conditions.", .children_title = "Models"};
    page.arguments.push_back({"MODEL", "which; 'chamomile model MODEL --help' lists its options"});
    for (const Command& kind : kinds)
        page.children.emplace_back(kind.name, kind.summary);
    show_help(page, Extent::all);
}

} // namespace

int model(const std::vector<std::string>& arguments)
{
    const std::string name = arguments.empty() ? "" : arguments.front();
    if (name == "--help" || name == "--help-all" || name == "-h") {
        show_kinds();
        return 0;
    }
    std::vector<std::string> known;
    for (const Command& kind : kinds) {
        if (name == kind.name) {
            refuse_sizes(name, arguments);
            return kind.run({arguments.begin() + 1, arguments.end()});
        }
        known.emplace_back(kind.name);
    }
    if (name.empty() || name.front() == '-')
        throw Error(Fault::usage,
                    "model: missing: MODEL; 'chamomile model --help' lists the models");
    throw Error(Fault::usage, "model: " + name + ": unknown model" + suggestion(name, known) +
                                  "; 'chamomile model --help' lists all");
}

} // namespace chamomile::app
