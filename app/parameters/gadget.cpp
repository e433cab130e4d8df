// The keys of GADGET-2, GADGET-3 and GADGET-4.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/parameters/parameter_file.hpp"
#include "chamomile/core/error.hpp"

namespace chamomile::app {
namespace {

constexpr ParameterRow rows[] = {
    {"InitCondFile", Meaning::read},
    {"OutputDir", Meaning::option, "output", "output"},
    {"TimeBegin", Meaning::option, "t-start", "t-start"},
    {"TimeMax", Meaning::option, "t-end", "a-end"},
    {"ComovingIntegrationOn", Meaning::read},
    {"PeriodicBoundariesOn", Meaning::read},
    {"BoxSize", Meaning::read},
    {"Omega0", Meaning::option, nullptr, "omega-m"},
    {"OmegaLambda", Meaning::option, nullptr, "omega-l"},
    {"HubbleParam", Meaning::option, nullptr, "hubble"},
    {"UnitLength_in_cm", Meaning::read},
    {"UnitMass_in_g", Meaning::read},
    {"UnitVelocity_in_cm_per_s", Meaning::read},
    {"GravityConstantInternal", Meaning::read},
    {"OutputListOn", Meaning::read},
    {"OutputListFilename", Meaning::read},
    {"TimeBetSnapshot", Meaning::read},
    {"TimeOfFirstSnapshot", Meaning::read},
    {"TimeBetStatistics", Meaning::option, "energy-every"},
    {"TimeLimitCPU", Meaning::option, "max-walltime", "max-walltime"},
    {"CpuTimeBetRestartFile", Meaning::option, "checkpoint-walltime", "checkpoint-walltime"},
    {"ErrTolIntAccuracy", Meaning::read},
    {"MaxSizeTimestep", Meaning::option, "dt-max", "dlna-max"},
    {"MinSizeTimestep", Meaning::read},
    {"TypeOfOpeningCriterion", Meaning::read},
    {"ErrTolTheta", Meaning::read},
    {"ErrTolForceAcc", Meaning::read},
    {"NSample", Meaning::read},
    // Softenings: per type in GADGET-2 and 3, per class in GADGET-4.
    {"SofteningGas", Meaning::read},
    {"SofteningHalo", Meaning::read},
    {"SofteningDisk", Meaning::read},
    {"SofteningBulge", Meaning::read},
    {"SofteningStars", Meaning::read},
    {"SofteningBndry", Meaning::read},
    {"SofteningGasMaxPhys", Meaning::read},
    {"SofteningHaloMaxPhys", Meaning::read},
    {"SofteningDiskMaxPhys", Meaning::read},
    {"SofteningBulgeMaxPhys", Meaning::read},
    {"SofteningStarsMaxPhys", Meaning::read},
    {"SofteningBndryMaxPhys", Meaning::read},
    {"SofteningComovingClass0", Meaning::read},
    {"SofteningComovingClass1", Meaning::read},
    {"SofteningComovingClass2", Meaning::read},
    {"SofteningComovingClass3", Meaning::read},
    {"SofteningComovingClass4", Meaning::read},
    {"SofteningComovingClass5", Meaning::read},
    {"SofteningMaxPhysClass0", Meaning::read},
    {"SofteningMaxPhysClass1", Meaning::read},
    {"SofteningMaxPhysClass2", Meaning::read},
    {"SofteningMaxPhysClass3", Meaning::read},
    {"SofteningMaxPhysClass4", Meaning::read},
    {"SofteningMaxPhysClass5", Meaning::read},
    {"SofteningClassOfPartType0", Meaning::read},
    {"SofteningClassOfPartType1", Meaning::read},
    {"SofteningClassOfPartType2", Meaning::read},
    {"SofteningClassOfPartType3", Meaning::read},
    {"SofteningClassOfPartType4", Meaning::read},
    {"SofteningClassOfPartType5", Meaning::read},
    // Physics beyond gravity.
    {"CoolingOn", Meaning::refused},
    {"StarformationOn", Meaning::refused},
    {"StellarEvolutionOn", Meaning::refused},
    {"BlackHolesOn", Meaning::refused},
    {"TreecoolFile", Meaning::refused},
    {"MaxSfrTimescale", Meaning::refused},
    {"MNue", Meaning::refused},
    // Names and numbers of files, memory, the machine.
    {"EnergyFile", Meaning::nothing},
    {"InfoFile", Meaning::nothing},
    {"TimingsFile", Meaning::nothing},
    {"CpuFile", Meaning::nothing},
    {"RestartFile", Meaning::nothing},
    {"SnapshotFileBase", Meaning::nothing},
    {"ResubmitOn", Meaning::nothing},
    {"ResubmitCommand", Meaning::nothing},
    {"ICFormat", Meaning::nothing},
    {"SnapFormat", Meaning::nothing},
    {"NumFilesPerSnapshot", Meaning::nothing},
    {"NumFilesWrittenInParallel", Meaning::nothing},
    {"MaxFilesWithConcurrentIO", Meaning::nothing},
    {"BufferSize", Meaning::nothing},
    {"PartAllocFactor", Meaning::nothing},
    {"TreeAllocFactor", Meaning::nothing},
    {"MaxMemSize", Meaning::nothing},
    {"TreeDomainUpdateFrequency", Meaning::nothing},
    {"ActivePartFracForNewDomainDecomp", Meaning::nothing},
    {"ActivePartFracForPMinsteadOfEwald", Meaning::nothing},
    {"TopNodeFactor", Meaning::nothing},
    {"ErrTolThetaMax", Meaning::nothing},
    {"TypeOfTimestepCriterion", Meaning::nothing},
    {"MaxRMSDisplacementFac", Meaning::nothing},
    {"OmegaBaryon", Meaning::nothing},
    {"Hubble", Meaning::nothing},
    // Gas: ignored, because files with type 0 particles are refused.
    {"CourantFac", Meaning::nothing},
    {"DesNumNgb", Meaning::nothing},
    {"MaxNumNgbDeviation", Meaning::nothing},
    {"ArtBulkViscConst", Meaning::nothing},
    {"InitGasTemp", Meaning::nothing},
    {"MinGasTemp", Meaning::nothing},
    {"MinEgySpec", Meaning::nothing},
    {"MinGasHsmlFractional", Meaning::nothing},
    {"MinimumComovingHydroSoftening", Meaning::nothing},
    {"AdaptiveHydroSofteningSpacing", Meaning::nothing},
    {"GasSoftFactor", Meaning::nothing},
    // GADGET-4's initial conditions, in addition to NSample.
    {"GridSize", Meaning::nothing},
    {"Seed", Meaning::nothing},
    {"SphereMode", Meaning::nothing},
    {"PowerSpectrumType", Meaning::nothing},
    {"ReNormalizeInputSpectrum", Meaning::nothing},
    {"PrimordialIndex", Meaning::nothing},
    {"ShapeGamma", Meaning::nothing},
    {"Sigma8", Meaning::nothing},
    {"PowerSpectrumFile", Meaning::nothing},
    {"InputSpectrum_UnitLength_in_cm", Meaning::nothing},
};

/// The file name lacks the extension and, for several files, the piece number.
void give_file(ParameterFile& p)
{
    const std::string name = p.text("InitCondFile");
    if (name.empty())
        return;
    if (p.has("NSample") && !p.is_given("FILE"))
        p.refuse("NSample", "initial conditions are not made on the way: 'chamomile model "
                            "cosmology' makes them; give their FILE");
    std::error_code none;
    for (const char* end : {"", ".hdf5", ".0.hdf5", ".0"})
        if (std::filesystem::exists(name + end, none))
            return p.give("InitCondFile", "FILE", name + end);
    p.give("InitCondFile", "FILE", name);
}

void give_units(ParameterFile& p, bool comoving)
{
    const char* keys[] = {"UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s"};
    if (std::none_of(std::begin(keys), std::end(keys), [&](const char* key) { return p.has(key); }))
        return;
    double units[3];
    for (int k = 0; k < 3; ++k) {
        units[k] = p.needed(keys[k], "the three units belong together");
        if (!(units[k] > 0))
            p.refuse(keys[k], "must be a number > 0");
    }
    const double h = p.number("HubbleParam").value_or(1);
    p.give_units(keys[0], units[0], units[1], units[2],
                 comoving ? std::nullopt : std::optional(h > 0 ? h : 1));
    if (const double G = p.number("GravityConstantInternal").value_or(0); G != 0)
        p.give("GravityConstantInternal", "G", G);
}

/// In GADGET-2 the parameter file sets whether the box is periodic, in GADGET-4 the compiler.
void give_box(ParameterFile& p, bool comoving)
{
    const double side = p.number("BoxSize").value_or(0);
    const bool says = p.has("PeriodicBoundariesOn"), periodic = p.is_on("PeriodicBoundariesOn");
    if (says && comoving && !periodic)
        p.refuse("PeriodicBoundariesOn", "contradicts ComovingIntegrationOn: comoving "
                                         "coordinates are possible in a periodic box alone");
    if ((periodic || comoving) && !(side > 0))
        p.refuse("BoxSize",
                 "contradicts " +
                     std::string(comoving ? "ComovingIntegrationOn" : "PeriodicBoundariesOn") +
                     ": must be a side > 0");
    if (periodic || comoving)
        p.give("BoxSize", "box", side);
    else if (says || side == 0)
        p.give(says ? "PeriodicBoundariesOn" : "BoxSize", "box", 0);
    else if (!p.is_given("box"))
        p.refuse("BoxSize", "GADGET-4 is told when it is compiled whether the box is periodic: "
                            "give --box SIDE, or --box 0 for isolated particles");
}

void give_softenings(ParameterFile& p, bool comoving)
{
    const char* names[] = {"Gas", "Halo", "Disk", "Bulge", "Stars", "Bndry"};
    std::map<int, ParameterFile::TypedLength> types;
    for (int type = 0; type < 6; ++type) {
        std::string key = std::string("Softening") + names[type], limit = key + "MaxPhys";
        if (const std::string of_type = "SofteningClassOfPartType" + std::to_string(type);
            p.has(of_type)) {
            const std::string number = std::to_string(int(p.number(of_type).value()));
            key = "SofteningComovingClass" + number;
            limit = "SofteningMaxPhysClass" + number;
            p.needed(key, "type " + std::to_string(type) + " has this class");
        }
        if (const std::optional<double> length = p.number(key))
            types[type] = {key, *length, p.number(limit).value_or(0)};
    }
    p.give_softenings(types, comoving);
}

/// dt = sqrt(2 ErrTolIntAccuracy eps/|a|), in rungs (Springel 2005, eq. 34).
void give_steps(ParameterFile& p)
{
    if (const std::optional<double> accuracy = p.number("ErrTolIntAccuracy")) {
        if (!(*accuracy > 0))
            p.refuse("ErrTolIntAccuracy", "must be a number > 0");
        p.give("ErrTolIntAccuracy", "block-steps", "true");
        p.give("ErrTolIntAccuracy", "step-criterion", "softening");
        p.give("ErrTolIntAccuracy", "eta", std::sqrt(2 * *accuracy));
    }
    if (p.is_on("MinSizeTimestep"))
        p.give("MinSizeTimestep", "dt-min", *p.number("MinSizeTimestep"));
}

/// The relative criterion follows Springel (2005), eq. 18.
void give_opening(ParameterFile& p)
{
    if (!p.has("TypeOfOpeningCriterion"))
        return;
    if (p.is_on("TypeOfOpeningCriterion")) {
        p.give("TypeOfOpeningCriterion", "criterion", "relative");
        p.give("ErrTolForceAcc", "tolerance",
               p.needed("ErrTolForceAcc", "TypeOfOpeningCriterion 1 needs it"));
    } else {
        p.give("TypeOfOpeningCriterion", "criterion", "geometric");
        p.give("ErrTolTheta", "theta",
               p.needed("ErrTolTheta", "TypeOfOpeningCriterion 0 needs it"));
    }
}

void give_outputs(ParameterFile& p, bool comoving)
{
    const double begin = p.number("TimeBegin").value_or(0), end = p.number("TimeMax").value_or(0);
    if (p.is_on("OutputListOn")) {
        const std::string file = p.text("OutputListFilename");
        if (file.empty())
            p.refuse("OutputListFilename", "is needed with OutputListOn");
        p.give_listed("OutputListFilename", comoving ? "outputs-a" : "output-times",
                      read_output_list(p.place("OutputListFilename"), file), begin, end);
    } else if (const std::optional<double> interval = p.number("TimeBetSnapshot")) {
        p.give_outputs({"TimeBetSnapshot", begin, end,
                        p.number("TimeOfFirstSnapshot").value_or(begin), *interval},
                       comoving);
    }
}

} // namespace

Translation translate_gadget(ParameterFile& p)
{
    const bool comoving = p.is_on("ComovingIntegrationOn");
    give_file(p);
    give_units(p, comoving);
    give_box(p, comoving);
    give_softenings(p, comoving);
    give_steps(p);
    give_opening(p);
    give_outputs(p, comoving);
    return p.translated("GADGET", rows, comoving);
}

} // namespace chamomile::app
