#include "app/pairs/named_law.hpp"

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "app/pairs/columns.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/nearest_name.hpp"
#include "chamomile/core/options/typed_number.hpp"
#include "chamomile/force/pairs/laws/gravity.hpp"
#include "chamomile/force/pairs/laws/gravity_jerk.hpp"
#include "chamomile/force/pairs/laws/lennard_jones_coulomb.hpp"
#include "chamomile/force/pairs/laws/lennard_jones_fluid.hpp"
#include "chamomile/force/pairs/laws/sph_density.hpp"
#include "chamomile/force/pairs/laws/yukawa.hpp"
#include "chamomile/force/pairs/text/text_law.hpp"

namespace chamomile::app {
namespace {

/// A BuiltIn is a built-in law. Its type begins with its parameters as doubles, in table order.
/// Defaults are 0 unless `parameters` sets them; further bytes are 0.
struct BuiltIn {
    const LawCode& (*code)();
    const char *name, *target, *source, *sum, *parameters;
};

constexpr const char* molecular_columns = "x y z charge half_sigma root_epsilon";

constexpr BuiltIn built_in[] = {
    {law_code<GravityPotential>, "gravity", "x y z", "x y z mass", "ax ay az potential", "eps"},
    {law_code<GravityAcceleration>, "gravity_acceleration", "x y z", "x y z mass", "ax ay az",
     "eps"},
    {law_code<GravityJerk>, "gravity_jerk", "x y z vx vy vz", "x y z vx vy vz mass",
     "ax ay az jx jy jz potential", "eps"},
    {law_code<Yukawa>, "yukawa", "x y z", "x y z charge", "fx fy fz potential",
     "screening_length=1 cutoff=inf"},
    {law_code<SphDensity>, "sph_density", "x y z inverse_h", "x y z mass", "density neighbours",
     ""},
    {law_code<LennardJonesFluid>, "lennard_jones", "x y z", "x y z", "fx fy fz energy virial",
     "sigma=1 epsilon=1"},
    {law_code<MolecularEnergy>, "molecular", molecular_columns, molecular_columns,
     "fx fy fz energy virial", "coulomb=1 dielectric=1"},
    {law_code<MolecularEnergyLinear>, "molecular_linear", molecular_columns, molecular_columns,
     "fx fy fz energy virial", "coulomb=1 dielectric=1"},
    {law_code<MolecularEnergySigmoidal>, "molecular_sigmoidal", molecular_columns,
     molecular_columns, "fx fy fz energy virial", "coulomb=1 alpha beta gamma delta length=1"},
};

/// A Setting is a parameter with its value.
struct Setting {
    std::string parameter;
    double value;
};

std::vector<Setting> read_settings(const std::vector<std::string>& texts)
{
    std::vector<Setting> settings;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        if (equals == 0 || equals == text.npos)
            throw Error(Fault::usage, "--parameter: " + text + ": must be NAME=NUMBER");
        settings.push_back(
            {text.substr(0, equals), parse_number<double>("--parameter: " + text.substr(0, equals),
                                                          text.substr(equals + 1), ranges::any)});
        for (std::size_t k = 0; k + 1 < settings.size(); ++k)
            if (settings[k].parameter == settings.back().parameter)
                throw Error(Fault::usage, "--parameter: " + settings[k].parameter +
                                              ": given twice; give it once");
    }
    return settings;
}

void note(std::string& parameters, const std::string& name, double value)
{
    parameters += (parameters.empty() ? "" : " ") + name + "=" + number_text(value);
}

NamedLaw make_built_in(const BuiltIn& law, const std::vector<Setting>& settings)
{
    NamedLaw named{words_of_line(law.target),
                   words_of_line(law.source),
                   words_of_line(law.sum),
                   "",
                   law.code(),
                   {}};
    auto names = words_of_line(law.parameters);
    // Rounds the law's bytes up to doubles, at least one: even a law without parameters takes a
    // byte.
    named.data.assign((named.code.bytes + sizeof(double) - 1) / sizeof(double), 0);
    for (std::size_t k = 0; k < names.size(); ++k)
        if (const std::size_t equals = names[k].find('='); equals != names[k].npos) {
            named.data[k] = std::strtod(names[k].c_str() + equals + 1, nullptr);
            names[k].resize(equals);
        }
    for (const Setting& setting : settings) {
        std::size_t k = 0;
        while (k < names.size() && names[k] != setting.parameter)
            ++k;
        if (k == names.size())
            throw Error(Fault::usage, "--parameter: " + setting.parameter + ": unknown" +
                                          suggestion(setting.parameter, names) + ": " + law.name +
                                          " has " +
                                          (names.empty() ? "no parameters" : law.parameters));
        named.data[k] = setting.value;
    }
    for (std::size_t k = 0; k < names.size(); ++k)
        note(named.parameters, names[k], named.data[k]);
    return named;
}

NamedLaw read_file(const std::string& file, const std::vector<Setting>& settings)
{
    TextLaw law(read_text_file(file, "the text of a law"), file);
    for (const Setting& setting : settings)
        law.set(setting.parameter, setting.value);
    const LawText& text = law.text();
    NamedLaw named{text.target, text.source, text.sum, "", law.code(), {}};
    named.data.resize(named.code.bytes / sizeof(double));
    std::memcpy(named.data.data(), law.data(), named.code.bytes);
    for (std::size_t k = 0; k < text.parameters.size(); ++k)
        note(named.parameters, text.parameters[k].name, law.parameters()[k]);
    return named;
}

} // namespace

std::vector<std::string> built_in_laws()
{
    std::vector<std::string> names;
    for (const BuiltIn& law : built_in)
        names.emplace_back(law.name);
    return names;
}

NamedLaw find_law(const std::string& law, const std::vector<std::string>& settings)
{
    const auto numbers = read_settings(settings);
    for (const BuiltIn& known : built_in)
        if (law == known.name)
            return make_built_in(known, numbers);
    if (!std::filesystem::exists(law)) {
        std::string all;
        for (const std::string& name : built_in_laws())
            all += (all.empty() ? "" : ", ") + name;
        throw Error(Fault::usage, "--law: " + law + ": neither a file nor one of " + all +
                                      suggestion(law, built_in_laws()));
    }
    return read_file(law, numbers);
}

} // namespace chamomile::app
