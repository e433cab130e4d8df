// The keys of SWIFT, as Section:key.
#include <cmath>

#include "app/parameters/parameter_file.hpp"
#include "chamomile/core/error.hpp"

namespace chamomile::app {
namespace {

constexpr ParameterRow rows[] = {
    {"InitialConditions:file_name", Meaning::option, "FILE", "FILE"},
    {"InitialConditions:periodic", Meaning::read},
    {"InitialConditions:cleanup_h_factors", Meaning::read},
    {"InitialConditions:cleanup_h", Meaning::read},
    {"InitialConditions:cleanup_velocity_factors", Meaning::nothing},
    {"InitialConditions:shift", Meaning::refused},
    {"InitialConditions:generate_gas_in_ics", Meaning::refused},
    {"InitialConditions:", Meaning::nothing},
    {"InternalUnitSystem:UnitMass_in_cgs", Meaning::read},
    {"InternalUnitSystem:UnitLength_in_cgs", Meaning::read},
    {"InternalUnitSystem:UnitVelocity_in_cgs", Meaning::read},
    {"InternalUnitSystem:", Meaning::nothing},
    {"Cosmology:h", Meaning::option, nullptr, "hubble"},
    {"Cosmology:a_begin", Meaning::option, nullptr, "t-start"},
    {"Cosmology:a_end", Meaning::option, nullptr, "a-end"},
    {"Cosmology:Omega_cdm", Meaning::read},
    {"Cosmology:Omega_m", Meaning::read},
    {"Cosmology:Omega_b", Meaning::read},
    {"Cosmology:Omega_lambda", Meaning::option, nullptr, "omega-l"},
    {"Cosmology:Omega_r", Meaning::option, nullptr, "omega-r"},
    {"Cosmology:w_0", Meaning::option, nullptr, "w0"},
    {"Cosmology:w_a", Meaning::option, nullptr, "wa"},
    {"Cosmology:M_nu_eV", Meaning::refused},
    {"TimeIntegration:time_begin", Meaning::option, "t-start"},
    {"TimeIntegration:time_end", Meaning::option, "t-end"},
    {"TimeIntegration:dt_min", Meaning::read},
    {"TimeIntegration:dt_max", Meaning::read},
    {"TimeIntegration:", Meaning::nothing},
    {"Snapshots:subdir", Meaning::option, "output", "output"},
    {"Snapshots:time_first", Meaning::read},
    {"Snapshots:scale_factor_first", Meaning::read},
    {"Snapshots:delta_time", Meaning::read},
    {"Snapshots:output_list_on", Meaning::read},
    {"Snapshots:output_list", Meaning::read},
    {"Snapshots:", Meaning::nothing},
    {"Statistics:delta_time", Meaning::option, "energy-every"},
    {"Statistics:", Meaning::nothing},
    {"Gravity:eta", Meaning::read},
    {"Gravity:comoving_DM_softening", Meaning::read},
    {"Gravity:max_physical_DM_softening", Meaning::read},
    {"Gravity:comoving_baryon_softening", Meaning::read},
    {"Gravity:max_physical_baryon_softening", Meaning::read},
    {"Gravity:softening_ratio_background", Meaning::refused},
    {"Gravity:mesh_side_length", Meaning::read},
    {"Gravity:", Meaning::nothing}, // criteria for SWIFT's fast multipole method
    {"Restarts:delta_hours", Meaning::read},
    {"Restarts:max_run_time", Meaning::read},
    {"Restarts:", Meaning::nothing},
    {"Scheduler:", Meaning::nothing},
    {"DomainDecomposition:", Meaning::nothing},
    {"MetaData:", Meaning::nothing},
    {"SPH:", Meaning::nothing}, // gas: ignored, because files with type 0 particles are refused
    {"FOF:", Meaning::nothing},
    {"LineOfSight:", Meaning::nothing},
    {"EAGLECooling:", Meaning::refused},
    {"GrackleCooling:", Meaning::refused},
    {"LambdaCooling:", Meaning::refused},
    {"COLIBRECooling:", Meaning::refused},
    {"PS2020Cooling:", Meaning::refused},
    {"EAGLEStarFormation:", Meaning::refused},
    {"GEARStarFormation:", Meaning::refused},
    {"EAGLEFeedback:", Meaning::refused},
    {"GEARFeedback:", Meaning::refused},
    {"AGORAFeedback:", Meaning::refused},
    {"EAGLEAGN:", Meaning::refused},
    {"SPINJETAGN:", Meaning::refused},
    // External potentials (swift_potentials.cpp). Time steps follow from the particles' own
    // criterion.
    {"PointMassPotential:mass", Meaning::read},
    {"PointMassPotential:softening", Meaning::read},
    {"PointMassPotential:position", Meaning::read},
    {"PointMassPotential:useabspos", Meaning::read},
    {"PointMassPotential:timestep_mult", Meaning::nothing},
    {"IsothermalPotential:vrot", Meaning::read},
    {"IsothermalPotential:epsilon", Meaning::read},
    {"IsothermalPotential:position", Meaning::read},
    {"IsothermalPotential:useabspos", Meaning::read},
    {"IsothermalPotential:timestep_mult", Meaning::nothing},
    {"HernquistPotential:mass", Meaning::read},
    {"HernquistPotential:scalelength", Meaning::read},
    {"HernquistPotential:idealizeddisk", Meaning::read},
    {"HernquistPotential:epsilon", Meaning::read},
    {"HernquistPotential:position", Meaning::read},
    {"HernquistPotential:useabspos", Meaning::read},
    {"HernquistPotential:timestep_mult", Meaning::nothing},
    {"NFWPotential:M_200", Meaning::read},
    {"NFWPotential:concentration", Meaning::read},
    {"NFWPotential:h", Meaning::read},
    {"NFWPotential:epsilon", Meaning::read},
    {"NFWPotential:bulgefraction", Meaning::read},
    {"NFWPotential:diskfraction", Meaning::read},
    {"NFWPotential:position", Meaning::read},
    {"NFWPotential:useabspos", Meaning::read},
    {"NFWPotential:timestep_mult", Meaning::nothing},
    {"NFW_MNPotential:M_200", Meaning::read},
    {"NFW_MNPotential:concentration", Meaning::read},
    {"NFW_MNPotential:critical_density", Meaning::read},
    {"NFW_MNPotential:Mdisk", Meaning::read},
    {"NFW_MNPotential:Rdisk", Meaning::read},
    {"NFW_MNPotential:Zdisk", Meaning::read},
    {"NFW_MNPotential:epsilon", Meaning::read},
    {"NFW_MNPotential:position", Meaning::read},
    {"NFW_MNPotential:useabspos", Meaning::read},
    {"NFW_MNPotential:timestep_mult", Meaning::nothing},
    {"MWPotential:", Meaning::refused},
    {"DiscPatchPotential:", Meaning::refused},
    {"SineWavePotential:", Meaning::refused},
    {"ConstantPotential:", Meaning::refused},
};

/// Lengths in the file are without h, and so are initial conditions unless h is cleaned up: then
/// particle units are per h, and lengths are multiplied by h.
double give_units(ParameterFile& p, bool comoving)
{
    double units[3];
    int k = 0;
    for (const char* name : {"UnitLength_in_cgs", "UnitMass_in_cgs", "UnitVelocity_in_cgs"}) {
        const std::string key = std::string("InternalUnitSystem:") + name;
        units[k++] = p.needed(key, "SWIFT needs it");
        if (!(units[k - 1] > 0))
            p.refuse(key, "must be a number > 0");
    }
    const bool per_h = comoving && (p.is_on("InitialConditions:cleanup_h_factors") ||
                                    p.is_on("InitialConditions:cleanup_h"));
    p.give_units("InternalUnitSystem:UnitLength_in_cgs", units[0], units[1], units[2],
                 per_h ? std::nullopt : std::optional(1.0));
    return per_h ? p.needed("Cosmology:h", "a comoving run needs it") : 1;
}

void give_softenings(ParameterFile& p, bool comoving, double factor)
{
    std::map<int, ParameterFile::TypedLength> types;
    for (int type = 0; type < 6; ++type) {
        const std::string matter = type == 1 || type == 2 ? "DM" : "baryon";
        const std::string physical = "Gravity:max_physical_" + matter + "_softening",
                          length =
                              comoving ? "Gravity:comoving_" + matter + "_softening" : physical;
        if (const std::optional<double> value = p.number(length))
            types[type] = {length, factor * *value, factor * p.number(physical).value_or(0)};
    }
    p.give_softenings(types, comoving);
}

/// dt = sqrt(2 eta eps/|a|).
void give_steps(ParameterFile& p, bool comoving)
{
    const std::optional<double> min = p.number("TimeIntegration:dt_min"),
                                max = p.number("TimeIntegration:dt_max");
    if (!comoving && min && max && *min == *max)
        return p.give("TimeIntegration:dt_max", "dt", *max);
    if (const std::optional<double> eta = p.number("Gravity:eta")) {
        if (!(*eta > 0))
            p.refuse("Gravity:eta", "must be a number > 0");
        p.give("Gravity:eta", "block-steps", "true");
        p.give("Gravity:eta", "step-criterion", "softening");
        p.give("Gravity:eta", "eta", std::sqrt(2 * *eta));
    }
    if (comoving) // comoving: keys are times
        return;
    if (min && *min > 0)
        p.give("TimeIntegration:dt_min", "dt-min", *min);
    if (max)
        p.give("TimeIntegration:dt_max", "dt-max", *max);
}

void give_outputs(ParameterFile& p, bool comoving)
{
    const std::string begin_key = comoving ? "Cosmology:a_begin" : "TimeIntegration:time_begin",
                      end_key = comoving ? "Cosmology:a_end" : "TimeIntegration:time_end",
                      first_key =
                          comoving ? "Snapshots:scale_factor_first" : "Snapshots:time_first";
    const double begin = p.number(begin_key).value_or(0),
                 end = p.number(end_key).value_or(comoving ? 1 : 0);
    if (p.is_on("Snapshots:output_list_on")) {
        const std::string key = "Snapshots:output_list", file = p.text(key);
        if (file.empty())
            p.refuse(key, "is needed with output_list_on");
        const bool redshifts =
            comoving && read_option_file(p.place(key), file, "a list of times").find("edshift") !=
                            std::string::npos;
        const std::vector<double> times = read_output_list(p.place(key), file);
        if (redshifts)
            return p.give_listed(key, "outputs-z", times, 1 / begin - 1, 1 / end - 1);
        p.give_listed(key, comoving ? "outputs-a" : "output-times", times, begin, end);
    } else if (const std::optional<double> interval = p.number("Snapshots:delta_time")) {
        p.give_outputs(
            {"Snapshots:delta_time", begin, end, p.number(first_key).value_or(begin), *interval},
            comoving);
    }
}

} // namespace

Translation translate_swift(ParameterFile& p)
{
    const bool comoving = p.has("Cosmology:a_begin"),
               periodic = p.is_on("InitialConditions:periodic");
    if (comoving && p.has("InitialConditions:periodic") && !periodic)
        p.refuse("InitialConditions:periodic", "contradicts the Cosmology: comoving coordinates "
                                               "are possible in a periodic box alone");
    const double factor = give_units(p, comoving);
    if (!comoving && p.has("InitialConditions:periodic") && !periodic)
        p.give("InitialConditions:periodic", "box", 0);
    give_softenings(p, comoving, factor);
    give_steps(p, comoving);
    give_outputs(p, comoving);
    give_swift_potentials(p);
    if (comoving && p.has("Cosmology:Omega_m"))
        p.give("Cosmology:Omega_m", "omega-m", *p.number("Cosmology:Omega_m"));
    else if (comoving)
        p.give("Cosmology:Omega_cdm", "omega-m",
               p.needed("Cosmology:Omega_cdm", "a comoving run needs it") +
                   p.number("Cosmology:Omega_b").value_or(0));
    if ((comoving || periodic) && p.has("Gravity:mesh_side_length"))
        p.give("Gravity:mesh_side_length", "mesh", p.text("Gravity:mesh_side_length"));
    if (p.is_on("Restarts:delta_hours"))
        p.give("Restarts:delta_hours", "checkpoint-walltime",
               3600 * *p.number("Restarts:delta_hours"));
    if (p.is_on("Restarts:max_run_time"))
        p.give("Restarts:max_run_time", "max-walltime", 3600 * *p.number("Restarts:max_run_time"));
    return p.translated("SWIFT", rows, comoving);
}

} // namespace chamomile::app
