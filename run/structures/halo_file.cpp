#include "chamomile/run/structures/halo_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <numeric>
#include <utility>

#include "chamomile/core/error.hpp"
#include "chamomile/core/exact_sum.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/profile.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/integrate/ranks/led_particles.hpp"
#include "chamomile/io/comoving.hpp"
#include "chamomile/io/data_file.hpp"
#include "chamomile/io/pending_file.hpp"
#include "chamomile/run/structures/analysed.hpp"
#include "chamomile/run/structures/comoving_run.hpp"

namespace chamomile {
namespace {

constexpr double softening = 0.2; ///< for potentials, in linking lengths

bool is_text(const std::filesystem::path& file)
{
    return file.extension() == ".txt" || file.extension() == ".dat";
}

/// Masses of dark matter and of gas plus stars.
struct MatterMasses {
    double dark, baryons;
};

/// Adds type by type: selecting whole types then gives bitwise the sums over all types.
MatterMasses masses_of(const Particles& particles)
{
    std::array<double, 6> of_type{};
    for (std::size_t i = 0; i < particles.size(); ++i)
        of_type[particles.type[i]] += particles.mass[i];
    return {of_type[1] + of_type[2] + of_type[3] + of_type[5], of_type[0] + of_type[4]};
}

/// Returns (m / rho)^(1/3), where m is the mean mass of the friends and rho the mean density of the
/// box. For dark friends, rho excludes gas and stars that are not friends. For gas or star friends,
/// rho excludes dark matter.
double mean_distance(const Particles& friends, const Particles& all, double side)
{
    if (&friends == &all)
        return side / std::cbrt(double(all.size()));
    const auto [dark, baryons] = masses_of(friends);
    const MatterMasses box = masses_of(all);
    const double ratio = baryons == 0 ? (box.dark + box.baryons) / (dark + box.baryons)
                         : dark == 0  ? box.baryons / baryons
                                      : (box.dark + box.baryons) / (dark + baryons);
    return side / std::cbrt(double(friends.size()) * (dark + baryons > 0 ? ratio : 1));
}

/// Returns the critical density in comoving coordinates (units of the snapshot), and Omega_m(a).
std::pair<double, double> critical_density(const Snapshot& snapshot)
{
    const ComovingFrame& frame = *snapshot.comoving;
    const double a = frame.scale_factor;
    const Background background = background_of(frame);
    const double H = snapshot.units.hubble_rate(frame.hubble) * background.expansion(a);
    const double critical = 3 * H * H / (8 * std::numbers::pi * snapshot.G()) * a * a * a;
    return {critical, background.matter_part(a)};
}

/// Returns the density thresholds of spheres over all matter.
std::vector<DensityThreshold> thresholds_of(const Snapshot& snapshot, const Particles& all,
                                            const std::vector<double>& overdensities)
{
    std::vector<DensityThreshold> thresholds;
    const double mass = exact_sum(all.mass);
    const bool is_critical_known = has_critical_density(snapshot);
    for (double delta : overdensities) {
        if (snapshot.box_size > 0)
            thresholds.push_back(
                {"Mean" + number_text(delta), delta * mass / std::pow(snapshot.box_size, 3)});
        if (is_critical_known)
            thresholds.push_back(
                {"Crit" + number_text(delta), delta * critical_density(snapshot).first});
    }
    if (is_critical_known && !overdensities.empty()) {
        const auto [critical, omega] = critical_density(snapshot);
        const double x = omega - 1; // Bryan & Norman 1998, eq. 6
        thresholds.push_back(
            {"TopHat200", critical * (18 * std::pow(std::numbers::pi, 2) + 82 * x - 39 * x * x)});
    }
    return thresholds;
}

/// Returns a column with one entry per halo.
template <class Get>
auto column(const std::vector<Halo>& halos, const Get& get)
{
    std::vector<std::decay_t<decltype(get(halos[0]))>> values;
    values.reserve(halos.size());
    for (const Halo& halo : halos)
        values.push_back(get(halo));
    return values;
}

std::vector<double> sphere_column(const HaloCatalogue& catalogue, std::size_t threshold,
                                  double OverdenseSphere::*value)
{
    std::vector<double> values;
    for (std::size_t h = 0; h < catalogue.halos.size(); ++h)
        values.push_back(catalogue.spheres[h * catalogue.thresholds.size() + threshold].*value);
    return values;
}

DataGroup header_of(const Snapshot& snapshot, const HaloCatalogue& catalogue,
                    const std::string& title)
{
    const ComovingFrame frame = snapshot.comoving.value_or(ComovingFrame{1, 0, 0, 1});
    const Units by_gadget = units_by_gadget(snapshot);
    const auto halos = std::uint64_t(catalogue.halos.size());
    const auto members = std::uint64_t(catalogue.ids.size());
    DataGroup header{"Header", {}, {}};
    header.attributes = {{"Ngroups_ThisFile", halos},
                         {"Ngroups_Total", halos},
                         {"Nids_ThisFile", members},
                         {"Nids_Total", members},
                         {"Nsubgroups_ThisFile", std::uint64_t(0)},
                         {"Nsubgroups_Total", std::uint64_t(0)},
                         {"Nsubhalos_ThisFile", std::uint64_t(0)},
                         {"Nsubhalos_Total", std::uint64_t(0)},
                         {"NumFiles", std::int32_t(1)},
                         {"Time", snapshot.time},
                         {"Redshift", redshift_of(snapshot)},
                         {"BoxSize", snapshot.box_size},
                         {"Omega0", frame.omega_matter},
                         {"OmegaLambda", frame.omega_lambda},
                         {"HubbleParam", frame.hubble},
                         {"UnitLength_in_cm", by_gadget.length_in_cm},
                         {"UnitMass_in_g", by_gadget.mass_in_g},
                         {"UnitVelocity_in_cm_per_s", by_gadget.velocity_in_cm_per_s},
                         {"units", snapshot.units.description()},
                         {"LinkingLength", catalogue.linking_length},
                         {"version", std::string(version)},
                         {"title", title}};
    return header;
}

std::vector<DataGroup> halo_data(const Snapshot& snapshot, HaloCatalogue catalogue,
                                 const std::string& title)
{
    const std::vector<Halo>& halos = catalogue.halos;
    const double a = snapshot.comoving ? snapshot.comoving->scale_factor : 1;
    DataGroup groups{"Group", {}, {}};
    groups.attributes = {
        {"GroupVel", std::string("a times the peculiar velocity, as in Gadget-4")},
        {"GroupPos", std::string("the particle of lowest potential, from the members only")}};
    auto& columns = groups.columns;
    const auto add = [&](const char* name, const auto& get) {
        columns.push_back({name, column(halos, get)});
    };
    std::vector<std::uint64_t> first =
        column(halos, [](const Halo& h) { return std::uint64_t(h.members); });
    std::exclusive_scan(first.begin(), first.end(), first.begin(), std::uint64_t(0));
    add("GroupLen", [](const Halo& h) { return std::uint32_t(h.members); });
    columns.push_back({"GroupOffset", first});
    add("GroupMass", [](const Halo& h) { return h.mass; });
    add("GroupPos", [](const Halo& h) { return h.center; });
    add("GroupCM", [](const Halo& h) { return h.center_of_mass; });
    add("GroupVel", [&](const Halo& h) { return a * h.velocity; });
    add("GroupVelDisp", [](const Halo& h) { return h.dispersion; });
    add("GroupHalfmassRad", [](const Halo& h) { return h.half_mass_radius; });
    add("GroupRadius", [](const Halo& h) { return h.radius; });
    add("GroupAxisRatioMiddle", [](const Halo& h) { return h.middle_to_major; });
    add("GroupAxisRatioMinor", [](const Halo& h) { return h.minor_to_major; });
    add("GroupMassType", [](const Halo& h) { return h.mass_of_type; });
    add("GroupLenType", [](const Halo& h) {
        std::array<std::uint32_t, 6> counts;
        std::copy(h.members_of_type.begin(), h.members_of_type.end(), counts.begin());
        return counts;
    });
    for (std::size_t t = 0; t < catalogue.thresholds.size(); ++t) {
        const std::string& name = catalogue.thresholds[t].name;
        columns.push_back({"Group_M_" + name, sphere_column(catalogue, t, &OverdenseSphere::mass)});
        columns.push_back(
            {"Group_R_" + name, sphere_column(catalogue, t, &OverdenseSphere::radius)});
    }
    DataGroup header = header_of(snapshot, catalogue, title), ids{"IDs", {}, {}};
    ids.columns.push_back({"ID", std::move(catalogue.ids)});
    std::vector<DataGroup> data; // no list, which would copy
    data.push_back(std::move(header));
    data.push_back(std::move(groups));
    data.push_back(std::move(ids));
    data.push_back({"Subhalo", {}, {}});
    return data;
}

std::string halo_table(const Snapshot& snapshot, const HaloCatalogue& catalogue,
                       const std::string& title)
{
    std::string text = table_heading(snapshot, title);
    text += formatted("# linking length %.9g\n", catalogue.linking_length);
    text +=
        "# number members mass x y z cm_x cm_y cm_z vx vy vz dispersion half_mass_radius radius "
        "b_to_a c_to_a";
    for (const DensityThreshold& threshold : catalogue.thresholds)
        text += " M_" + threshold.name + " R_" + threshold.name;
    for (std::size_t h = 0; h < catalogue.halos.size(); ++h) {
        const Halo& halo = catalogue.halos[h];
        text += formatted("\n%zu %zu %.9g", h, halo.members, halo.mass);
        for (const Vec3<double>& v : {halo.center, halo.center_of_mass, halo.velocity})
            text += formatted(" %.9g %.9g %.9g", v.x, v.y, v.z);
        text += formatted(" %.9g %.9g %.9g %.6g %.6g", halo.dispersion, halo.half_mass_radius,
                          halo.radius, halo.middle_to_major, halo.minor_to_major);
        for (std::size_t t = 0; t < catalogue.thresholds.size(); ++t) {
            const OverdenseSphere& sphere = catalogue.spheres[h * catalogue.thresholds.size() + t];
            text += formatted(" %.9g %.9g", sphere.mass, sphere.radius);
        }
    }
    return text + "\n";
}

/// Returns the groups, found on that device.
ParticleGroups groups_on(const std::string& device, std::span<const Vec3<double>> position,
                         const FriendRule& rule)
{
    constexpr std::size_t worth_gpu = 1 << 22; // the processor is done before CUDA has started
    const bool is_auto = device == "auto";
    const int gpu = is_auto && position.size() < worth_gpu ? -1 : choose_gpu(device);
    try {
        if (gpu >= 0)
            return friends_of_friends_on_gpu(gpu, position, rule);
    } catch (const OutOfDeviceMemory&) {
        if (!is_auto)
            throw;
    }
    return friends_of_friends(position, rule.periodicity, rule.linking_length, rule.min_members);
}

/// Returns the halos of particles on ranks.
RankHalos halos_on_ranks(const MatterOnRanks& ranks, const Particles& all, const FriendRule& rule,
                         const std::string& device, std::span<const double> densities)
{
    RankHaloRequest request{.rule = rule,
                            .softening = softening * rule.linking_length,
                            .velocity_factor = ranks.velocity_factor,
                            .types = ranks.type_bits()};
    if (device != "auto")
        std::snprintf(request.devices, sizeof request.devices, "%s",
                      device == "gpu" ? "gpu:all" : device.c_str());
    return ranks.led.halos(request, densities, all.type);
}

} // namespace

std::string friends_note(const Particles& all, const std::vector<int>& types)
{
    double light = HUGE_VAL, heavy = 0;
#pragma omp parallel for reduction(min : light) reduction(max : heavy)
    for (std::size_t i = 0; i < all.size(); ++i)
        if (types.empty() || std::count(types.begin(), types.end(), int(all.type[i]))) {
            light = std::min(light, all.mass[i]);
            heavy = std::max(heavy, all.mass[i]);
        }
    if (heavy <= 1.01 * light)
        return "";
    return formatted("masses of linked particles are %.6g to %.6g: the linking length, set by the "
                     "mean mass, is too long for light particles; choose types of one mass",
                     light, heavy);
}

HaloCatalogue measured_halos(const Snapshot& snapshot, const Particles& all,
                             const HaloRequest& request, const MatterOnRanks* ranks)
{
    const Particles& particles = snapshot.particles;
    const Periodicity box{snapshot.box_size};
    if (!box && !request.length)
        throw Error(Fault::usage, "{length}: missing: needed because the file has no periodic box");
    HaloCatalogue catalogue;
    catalogue.linking_length =
        request.length.value_or(request.linking_length * mean_distance(particles, all, box.side));
    catalogue.thresholds = thresholds_of(snapshot, all, request.overdensities);
    std::vector<double> densities;
    for (const DensityThreshold& threshold : catalogue.thresholds)
        densities.push_back(threshold.density);
    const FriendRule rule{box, catalogue.linking_length, request.min_members};
    const double start = wall_clock_seconds();
    if (ranks) {
        RankHalos found = halos_on_ranks(*ranks, all, rule, request.device, densities);
        catalogue.seconds = wall_clock_seconds() - start;
        catalogue.halos = std::move(found.halos);
        catalogue.spheres = std::move(found.spheres);
        catalogue.ids = ranks->led.ids_of(found.members);
        return catalogue;
    }
    const ParticleGroups groups = groups_on(request.device, particles.position, rule);
    catalogue.halos = halo_properties(particles, groups, box, softening * catalogue.linking_length);
    catalogue.spheres =
        overdense_spheres(all, box, column(catalogue.halos, [](const Halo& h) { return h.center; }),
                          column(catalogue.halos, [](const Halo& h) { return h.mass; }), densities);
    catalogue.seconds = wall_clock_seconds() - start;
    catalogue.ids.reserve(groups.members.size());
    for (const Index member : groups.members)
        catalogue.ids.push_back(particles.id[member]);
    return catalogue;
}

void require_halo_format(const std::filesystem::path& file)
{
    if (!is_text(file) && file.extension() != ".hdf5" && file.extension() != ".h5")
        throw Error(Fault::usage, file.string() + ": extension: '" + file.extension().string() +
                                      "': must be .hdf5, .h5, .txt or .dat");
}

void write_halos(const Snapshot& snapshot, HaloCatalogue catalogue, const std::string& title,
                 const std::filesystem::path& file)
{
    require_halo_format(file);
    if (is_text(file))
        write_text(file, halo_table(snapshot, catalogue, title));
    else
        write_data_file(file, halo_data(snapshot, std::move(catalogue), title));
}

} // namespace chamomile
