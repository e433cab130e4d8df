#include "chamomile/io/hdf5/units.hpp"

#include <algorithm>
#include <map>

#include "chamomile/io/file_constants.hpp"
#include "chamomile/io/hdf5/layout.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/number_text.hpp"

namespace chamomile {
namespace {

double positive(const Hdf5Piece& piece, const Hdf5Group& group, const char* name)
{
    return checked(piece.path, name, group.real(name, 0), ranges::positive);
}

/// UnitNames lists the unit attributes of one code: GADGET, GIZMO or SWIFT. SWIFT states a time
/// unit and uses no h.
struct UnitNames {
    const char *length, *mass, *velocity, *time = nullptr;
    bool per_hubble = false; ///< lengths and masses are per h
};
constexpr UnitNames swift_names{.length = "Unit length in cgs (U_L)",
                                .mass = "Unit mass in cgs (U_M)",
                                .velocity = nullptr,
                                .time = "Unit time in cgs (U_t)"};
constexpr UnitNames unit_names[] = {
    {"UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s", nullptr, true},
    {"UnitLength_In_CGS", "UnitMass_In_CGS", "UnitVelocity_In_CGS"}, // GIZMO has divided by h
    swift_names};

double stated_hubble(const Hdf5Piece& piece, double otherwise)
{
    const double in_header = piece.group(hdf5_layout::header).real("HubbleParam", otherwise);
    return piece.group(hdf5_layout::parameters).real("HubbleParam", in_header);
}

/// Reads the units from the group. Returns whether they are stated.
bool read_units_from(const Hdf5Piece& piece, const char* group_name, Units& units)
{
    const Hdf5Group group = piece.group(group_name);
    const auto* const names =
        std::find_if(std::begin(unit_names), std::end(unit_names),
                     [&](const UnitNames& one) { return group.has_attribute(one.length); });
    if (names == std::end(unit_names))
        return false;
    units.length_in_cm = positive(piece, group, names->length);
    units.mass_in_g = positive(piece, group, names->mass);
    units.velocity_in_cm_per_s = names->velocity
                                     ? positive(piece, group, names->velocity)
                                     : units.length_in_cm / positive(piece, group, names->time);
    units.physical = true;
    const double hubble = stated_hubble(piece, 1);
    units.per_hubble = names->per_hubble && hubble != 1 && hubble != 0;
    return true;
}

/// Reads the units without h from a file of Chamomile. Comoving files state units per h in the
/// GADGET attributes.
void read_units_without_hubble(const Hdf5Piece& piece, Units& units)
{
    const Hdf5Group group = piece.group(hdf5_layout::units);
    if (group.has_attribute(swift_names.length)) {
        units.length_in_cm = positive(piece, group, swift_names.length);
        units.mass_in_g = positive(piece, group, swift_names.mass);
    }
    units.per_hubble = false;
}

/// Removes h from the units of a non-comoving file, because the snapshot does not keep h.
void resolve_hubble(const Hdf5Piece& piece, Snapshot& snapshot)
{
    Units& units = snapshot.units;
    const double G = units.gravitational_constant(), h = stated_hubble(piece, 1);
    units.length_in_cm /= h;
    units.mass_in_g /= h;
    units.per_hubble = false;
    if (units.gravitational_constant() != G) // only rounding differs
        snapshot.gravitational_constant = G;
}

/// Reads G from Chamomile's attribute, or the G that overrides the units in GADGET-4 or GIZMO.
void read_gravitational_constant(const Hdf5Piece& piece, Snapshot& snapshot)
{
    const Hdf5Group own = piece.group(hdf5_layout::own);
    const Hdf5Group parameters = piece.group(hdf5_layout::parameters);
    const double of_units = snapshot.units.gravitational_constant();
    if (own.has_attribute(hdf5_layout::gravitational_constant)) {
        const double G = own.real(hdf5_layout::gravitational_constant, 0);
        if (G != of_units)
            snapshot.gravitational_constant = G;
        return;
    }
    const char *gadget = "GravityConstantInternal", *gizmo = "Gravitational_Constant_In_Code_Inits";
    const double of_header = piece.group(hdf5_layout::header).real(gizmo, 0),
                 G = parameters.real(gadget, of_header); // 0: G follows from the units
    if (G == 0 || G == of_units)
        return;
    snapshot.gravitational_constant = G;
    snapshot.notes.push_back("G is " + number_text(G) + ", as " +
                             (parameters.has_attribute(gadget) ? std::string("Parameters/") + gadget
                                                               : std::string("Header/") + gizmo) +
                             " states, instead of " + number_text(of_units) + " by the units");
}

/// Returns the softening length of each type with particles, from GADGET-4's softening classes.
/// Returns an empty map if a type has no class or a class has no length.
std::map<std::size_t, double> softening_classes(const Hdf5Piece& piece)
{
    const Hdf5Group parameters = piece.group(hdf5_layout::parameters);
    std::map<std::size_t, double> lengths;
    for (std::size_t type = 0; type < 6; ++type) {
        if (piece.totals.low[type] == 0 || piece.tracers[type] > 0)
            continue;
        const std::string of_type = "SofteningClassOfPartType" + std::to_string(type);
        if (!parameters.has_attribute(of_type.c_str()))
            return {};
        const std::string name =
            "SofteningComovingClass" + std::to_string(parameters.integers(of_type.c_str()).front());
        lengths[type] = checked(piece.path, "Parameters/" + name, parameters.real(name.c_str(), 0),
                                ranges::not_negative);
        if (!(lengths[type] > 0))
            return {};
    }
    return lengths;
}

} // namespace

void read_units(const Hdf5Piece& piece, Snapshot& snapshot)
{
    using namespace hdf5_layout;
    bool found = false;
    for (const char* group : {hdf5_layout::units, parameters, header})
        found = found || read_units_from(piece, group, snapshot.units);

    const Hdf5Group own_group = piece.group(own);
    const auto strings = own_group.strings();
    const auto stated = [&](const char* name) {
        const auto found = strings.find(name);
        return found == strings.end() ? std::nullopt : std::optional(found->second);
    };
    if (const auto system = stated(unit_system)) {
        const bool per_h = *system == physical_units_per_h;
        if (*system != nbody_units && *system != physical_units && !per_h)
            throw bad_input(piece.path, "Chamomile/unit_system", *system,
                            std::string(nbody_units) + ", " + physical_units + " or " +
                                physical_units_per_h);
        if (*system != nbody_units && !found)
            throw bad_input(piece.path, "Units/UnitLength_in_cm", "missing",
                            "needed with Chamomile/unit_system");
        if (*system == nbody_units)
            snapshot.units = {};
        else if (per_h)
            snapshot.units.per_hubble = true;
        else
            read_units_without_hubble(piece, snapshot.units);
    } else if (!found) {
        snapshot.units = Units::gadget(snapshot.comoving || stated_hubble(piece, 0) != 1);
        snapshot.has_stated_units = false;
    } else if (snapshot.units.per_hubble && !snapshot.comoving)
        resolve_hubble(piece, snapshot);
    read_gravitational_constant(piece, snapshot);

    std::optional<double> length;
    if (own_group.has_attribute(softening_length))
        length = own_group.real(softening_length, 0);
    snapshot.softening = stated_softening(piece.path, stated(softening_kind), length);
}

void read_softening_classes(const Hdf5Piece& piece, Snapshot& snapshot)
{
    const std::map<std::size_t, double> lengths = softening_classes(piece);
    if (snapshot.softening || lengths.empty())
        return;
    Softening softening{SofteningKind::spline};
    double min = lengths.begin()->second;
    for (const auto& [type, length] : lengths) {
        softening.length = std::max(softening.length, length);
        min = std::min(min, length);
    }
    softening.per_particle = min < softening.length;
    snapshot.softening = softening;
    if (!softening.per_particle)
        return;
    for (const std::uint8_t type : snapshot.particles.type)
        snapshot.particles.softening.push_back(lengths.at(type));
}

void set_softenings(const Hdf5Piece& piece, Snapshot& snapshot)
{
    using namespace hdf5_layout;
    const std::vector<double>& length = snapshot.particles.softening;
    Softening softening = snapshot.softening.value_or(Softening{SofteningKind::spline});
    softening.length = *std::max_element(length.begin(), length.end());
    softening.per_particle = true;
    const auto strings = piece.group(own).strings();
    if (const auto rule = strings.find(softening_rule); rule != strings.end()) {
        if (rule->second != larger && rule->second != root_of_squares)
            throw bad_input(piece.path, "Chamomile/softening_rule", rule->second,
                            std::string(larger) + " or " + root_of_squares);
        softening.rule =
            rule->second == larger ? SofteningRule::larger : SofteningRule::root_of_squares;
    }
    snapshot.softening = softening;
}

} // namespace chamomile
