// Keys of ChaNGa and its predecessors Gasoline and PKDGRAV.
#include <cmath>
#include <numbers>

#include "app/parameters/parameter_file.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/quantity.hpp"
#include "chamomile/io/tipsy/layout.hpp"

namespace chamomile::app {
namespace {

constexpr ParameterRow rows[] = {
    {"achInFile", Meaning::option, "FILE", "FILE"},
    {"achOutName", Meaning::option, "output", "output"},
    {"nSteps", Meaning::read},
    {"dDelta", Meaning::read},
    {"iMaxRung", Meaning::read},
    {"dEta", Meaning::read},
    {"bEpsAccStep", Meaning::nothing},
    {"iOutInterval", Meaning::read},
    {"iLogInterval", Meaning::read},
    {"iCheckInterval", Meaning::option, "checkpoint-every", "checkpoint-every"},
    {"iWallRunTime", Meaning::read},
    {"dSoft", Meaning::read},
    {"bPeriodic", Meaning::read},
    {"dPeriod", Meaning::read},
    {"bComove", Meaning::read},
    {"dRedTo", Meaning::option, nullptr, "z-end"},
    {"dOmega0", Meaning::option, nullptr, "omega-m"},
    {"dLambda", Meaning::option, nullptr, "omega-l"},
    {"dOmegaRad", Meaning::option, nullptr, "omega-r"},
    {"dHubble0", Meaning::read},
    {"dKpcUnit", Meaning::read},
    {"dMsolUnit", Meaning::read},
    // Physics or methods that Chamomile does not compute.
    {"bDoGas", Meaning::refused},
    {"bGasCooling", Meaning::refused},
    {"bGasAdiabatic", Meaning::refused},
    {"bGasIsothermal", Meaning::refused},
    {"bStarForm", Meaning::refused},
    {"bFeedback", Meaning::refused},
    {"bBHSink", Meaning::refused},
    {"bDoSinks", Meaning::refused},
    {"bDynGrowMass", Meaning::refused},
    {"bDoExternalGravity", Meaning::refused},
    {"bPhysicalSoft", Meaning::refused},
    {"bGravStep", Meaning::refused},
    {"bSIDM", Meaning::refused},
    // Orders, files, memory, the machine.
    {"dTheta", Meaning::nothing}, // hexadecapoles about centers of mass, replicas in boxes
    {"dTheta2", Meaning::nothing},
    {"daSwitchTheta", Meaning::nothing},
    {"iOrder", Meaning::nothing},
    {"nBucket", Meaning::nothing},
    {"nReplicas", Meaning::nothing},
    {"bEwald", Meaning::nothing},
    {"dEwCut", Meaning::nothing},
    {"dEwhCut", Meaning::nothing},
    {"iEwOrder", Meaning::nothing},
    {"nSmooth", Meaning::nothing},
    {"bKDK", Meaning::nothing},
    {"bCannonical", Meaning::nothing},
    {"bStandard", Meaning::nothing},
    {"bDoDensity", Meaning::nothing},
    {"bDoGravity", Meaning::nothing},
    {"bParaRead", Meaning::nothing},
    {"bParaWrite", Meaning::nothing},
    {"bDoublePos", Meaning::nothing},
    {"bDoubleVel", Meaning::nothing},
    {"bDoIOrderOutput", Meaning::nothing},
    {"bDoSoftOutput", Meaning::nothing},
    {"bVDetails", Meaning::nothing},
    {"bVStart", Meaning::nothing},
    {"bVStep", Meaning::nothing},
    {"bVWarnings", Meaning::nothing},
    {"bOverwrite", Meaning::nothing},
    {"bBenchmark", Meaning::nothing},
    {"bPrefetch", Meaning::nothing},
    {"dFracNoDomainDecomp", Meaning::nothing},
    {"dExtraStore", Meaning::nothing},
    {"iStartStep", Meaning::nothing},
    {"nTreePieces", Meaning::nothing},
    {"nIOProcessor", Meaning::nothing},
    {"iBinaryOutput", Meaning::nothing},
    {"achCheckName", Meaning::nothing},
};

constexpr double code_hubble = 2.8944050182; ///< sqrt(8 pi/3): the critical density is 1

/// Returns H0 in 100 km/s/Mpc, from H0, length and mass in a system with G = 1.
double hubble_of(double hubble0, double kpc, double solar_masses)
{
    const Units units =
        unit_system("dKpcUnit", number_text(kpc) + " kpc," + number_text(solar_masses) + " Msun");
    return hubble0 / units.hubble_rate(1);
}

/// Units are kpc and solar masses with G = 1. A comoving box has units from its side and h.
void give_units(ParameterFile& p, bool comoving)
{
    if (comoving) {
        const double hubble0 = p.number("dHubble0").value_or(code_hubble);
        if (std::abs(hubble0 / code_hubble - 1) > 1e-4)
            p.refuse("dHubble0", "must be 2.894405, so that the critical density is 1");
        if (p.number("dPeriod").value_or(1) != 1)
            p.refuse("dPeriod", "must be 1 in comoving coordinates");
    }
    if (!p.has("dKpcUnit") && !p.has("dMsolUnit")) {
        if (comoving && !p.is_given("box-length"))
            p.refuse("dKpcUnit", "missing: the file does not say how large the box is: give "
                                 "--box-length 100Mpc and --h 0.7");
        return;
    }
    const double kpc = p.needed("dKpcUnit", "dKpcUnit and dMsolUnit belong together"),
                 mass = p.needed("dMsolUnit", "dKpcUnit and dMsolUnit belong together");
    if (!(kpc > 0 && mass > 0))
        p.refuse(kpc > 0 ? "dMsolUnit" : "dKpcUnit", "must be a number > 0");
    if (!comoving)
        return p.give("dKpcUnit", "units",
                      number_text(kpc) + " kpc," + number_text(mass) + " Msun");
    p.give("dKpcUnit", "box-length", number_text(kpc) + " kpc");
    p.give("dMsolUnit", "h", hubble_of(code_hubble, kpc, mass));
}

/// dDelta is the max step. dt = dEta sqrt(dSoft/|a|) uses ChaNGa's dSoft, longer than our length
/// for the same spline.
void give_steps(ParameterFile& p, bool comoving)
{
    const bool has_step = !comoving && p.has("dDelta"); // comoving: not d ln a
    const bool fixed = p.has("iMaxRung") && *p.number("iMaxRung") < 1;
    if (has_step && fixed)
        return p.give("dDelta", "dt", *p.number("dDelta"));
    if (!fixed) {
        const char* key = p.has("dEta") ? "dEta" : "dDelta";
        p.give(key, "block-steps", "true");
        p.give(key, "step-criterion", "softening");
        p.give(key, "eta", p.number("dEta").value_or(0.1) / std::sqrt(tipsy_softening_to_ours));
        if (p.has("iMaxRung"))
            p.give("iMaxRung", "rungs", std::min(40.0, *p.number("iMaxRung")));
    }
    if (has_step)
        p.give("dDelta", "dt-max", *p.number("dDelta"));
}

void give_times(ParameterFile& p, bool comoving)
{
    if (comoving) {
        if (!p.has("dRedTo") && !p.is_given("z-end") && !p.is_given("a-end"))
            p.refuse("dRedTo", "missing: a comoving run ends at a redshift: give --z-end");
        return;
    }
    const std::optional<double> step = p.number("dDelta"), number = p.number("nSteps");
    if (p.has("dRedTo"))
        p.refuse("dRedTo", "contradicts bComove = 0");
    if (!step)
        return;
    if (number)
        p.give("nSteps", "duration", *number * *step);
    if (p.is_on("iOutInterval"))
        p.give("iOutInterval", "snapshot-every", *p.number("iOutInterval") * *step);
    if (p.is_on("iLogInterval"))
        p.give("iLogInterval", "energy-every", *p.number("iLogInterval") * *step);
}

} // namespace

Translation translate_changa(ParameterFile& p)
{
    const bool comoving = p.is_on("bComove"), periodic = p.is_on("bPeriodic");
    if (comoving && p.has("bPeriodic") && !periodic)
        p.refuse("bPeriodic", "contradicts bComove: comoving coordinates are possible in a "
                              "periodic box alone");
    give_units(p, comoving);
    if (!comoving && (p.has("bPeriodic") || p.has("dPeriod")))
        p.give(p.has("bPeriodic") ? "bPeriodic" : "dPeriod", "box",
               periodic ? p.number("dPeriod").value_or(1) : 0);
    if (const std::optional<double> length = p.number("dSoft")) {
        p.give("dSoft", "eps", *length * tipsy_softening_to_ours);
        p.give("dSoft", "softening", "spline");
    }
    give_steps(p, comoving);
    give_times(p, comoving);
    if (p.is_on("iWallRunTime"))
        p.give("iWallRunTime", "max-walltime", 60 * *p.number("iWallRunTime"));
    return p.translated("ChaNGa", rows, comoving);
}

} // namespace chamomile::app
