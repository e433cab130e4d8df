#include "chamomile/run/files/cluster_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/option_row.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/integrate/measures/binaries.hpp"
#include "chamomile/integrate/measures/encounters.hpp"
#include "chamomile/integrate/step_checks.hpp"
#include "chamomile/io/text/id_list.hpp"

namespace chamomile {
namespace {

using namespace dimensions;

constexpr std::array<double, 3> fractions{0.01, 0.05, 0.5};
constexpr std::array<const char*, 3> fraction_names{"r1", "r5", "r50"};

/// An unbound particle has escaped beyond this many tidal radii or, without a tide, half-mass
/// radii.
constexpr double escape_in_tidal_radii = 2, escape_in_half_mass_radii = 10;

std::vector<std::string> cells_of(std::initializer_list<double> values)
{
    std::vector<std::string> cells;
    for (const double value : values)
        cells.push_back(table_cell(value));
    return cells;
}

void append(std::vector<std::string>& cells, const std::vector<std::string>& more)
{
    cells.insert(cells.end(), more.begin(), more.end());
}

std::vector<TableColumn> cluster_columns(std::size_t groups)
{
    std::vector<TableColumn> radii;
    for (const char* name : fraction_names)
        radii.push_back({name, length});
    for (std::size_t g = 1; groups > 1 && g <= groups; ++g) {
        radii.push_back({"particles_group" + std::to_string(g)});
        for (const char* name : fraction_names)
            radii.push_back({std::string(name) + "_group" + std::to_string(g), length});
    }
    return joined_columns({{{"bound_particles"}, {"bound_mass", mass}},
                           vector_columns_of("center", length),
                           {{"core_radius", length},
                            {"core_density", density},
                            {"core_particles"},
                            {"core_dispersion", velocity}},
                           radii,
                           {{"core_relaxation_time", dimensions::time},
                            {"half_mass_relaxation_time", dimensions::time},
                            {"escapers"},
                            {"escaped_mass", mass}}});
}

std::vector<TableColumn> pair_columns()
{
    return {{"id_1"}, {"id_2"}, {"mass_1", mass}, {"mass_2", mass}};
}

/// Returns ln(0.11 N) (Giersz & Heggie 1994), at least 1.
double coulomb_logarithm(double particles)
{
    return std::max(1.0, std::log(0.11 * particles));
}

/// Returns the relaxation time in the core (Spitzer 1987, eq. 2-62).
double core_relaxation_time(const ClusterCore& core, double G, double particles)
{
    return 0.065 * std::pow(core.dispersion, 3) /
           (G * G * core.mean_mass * core.density * coulomb_logarithm(particles));
}

/// Returns the half-mass relaxation time (Spitzer 1987, eq. 2-63).
double half_mass_relaxation_time(double G, double mass, double particles, double radius)
{
    return 0.138 * particles * std::sqrt(radius * radius * radius / (G * mass)) /
           coulomb_logarithm(particles);
}

} // namespace

std::vector<TableColumn> bound_columns()
{
    return joined_columns(
        {{{"particles"}, {"mass", mass}, {"half_mass_radius", length}, {"tidal_radius", length}},
         vector_columns_of("center", length),
         vector_columns_of("velocity", velocity)});
}

std::vector<std::string> bound_cells(const BoundSystem& bound)
{
    const bool is_any = !bound.members.empty();
    const auto vector = [&](const Vec3<double>& v) {
        return is_any ? cells_of({v.x, v.y, v.z}) : std::vector<std::string>(3);
    };
    std::vector<std::string> cells{std::to_string(bound.members.size())};
    append(cells, cells_of({bound.mass, bound.half_mass_radius, bound.tidal_radius}));
    append(cells, vector(bound.center));
    append(cells, vector(bound.velocity));
    return cells;
}

ClusterTables::ClusterTables(const ClusterRequest& request, Snapshot& state, Simulation& simulation)
    : request_(request), state_(state), simulation_(simulation),
      G_(simulation.integrator().forces().gravitational_constant),
      unbinding_(simulation.integrator().forces()), bound_file_{"bound.csv", bound_columns(), {}},
      cluster_file_{"cluster.csv", cluster_columns(request.mass_groups.size() + 1), {}},
      escapers_file_{
          "escapers.csv", {{"id"}, {"mass", mass}, {"distance", length}, {"speed", velocity}}, {}},
      binaries_file_{"binaries.csv",
                     joined_columns({pair_columns(),
                                     {{"semi_major_axis", length},
                                      {"eccentricity"},
                                      {"period", dimensions::time},
                                      {"hardness"},
                                      {"distance", length}}}),
                     {}},
      encounters_file_{
          "encounters.csv",
          joined_columns(
              {pair_columns(), {{"pericenter", length}, {"eccentricity"}, {"speed", velocity}}}),
          {}}
{
    if (!request.is_asked())
        return;
    const std::string first = request.bound ? "{bound}" : "{cluster}";
    const auto refuse = [](const std::string& line) { throw Error(Fault::usage, line); };
    const Integrator& integrator = simulation.integrator();
    if (integrator.forces().is_periodic() || state.comoving)
        refuse(first + ": needs isolated particles in plain time");
    if (!(G_ > 0))
        refuse(first + ": needs {G} > 0");
    if (integrator.field() && integrator.field()->rotates())
        refuse(first + ": contradicts a rotating {potential}, whose velocities are not inertial");
    if (is_softened(integrator.forces()) && (request.binaries || request.encounters))
        refuse(std::string(request.binaries ? "{cluster-binaries}" : "{encounters}") +
               ": needs {eps} 0: softened pairs have no Kepler orbits");
    if (!std::ranges::is_sorted(request.mass_groups, std::less_equal<>()))
        refuse("{mass-groups}: must ascend");
    if (request.encounters)
        simulation.record_passages(*request.encounters);
}

void ClusterTables::begin()
{
    if (!request_.is_asked())
        return;
    const Particles& particles = state_.particles;
    if (!request_.ids.empty())
        chosen_ = places_of_ids(particles, request_.ids);
    else {
        chosen_.resize(particles.size());
        std::iota(chosen_.begin(), chosen_.end(), Index(0));
    }
    if (std::ranges::none_of(chosen_, [&](Index i) { return particles.mass[i] > 0; }))
        throw Error(Fault::usage, std::string(request_.bound ? "{bound}" : "{cluster}") +
                                      ": needs particles with mass");
    has_escaped_.assign(particles.size(), 0);
}

void ClusterTables::register_observers()
{
    constexpr auto potentials = Quantities::acceleration_potential;
    if (request_.bound)
        simulation_.every_steps(request_.bound_every, potentials,
                                [this](Simulation&) { add(bound_file_, bound_cells(bound())); });
    if (request_.cluster)
        simulation_.every_steps(request_.cluster_every, potentials, [this](Simulation&) {
            add_escapers();
            add_cluster();
            if (request_.binaries)
                add_binaries();
        });
    if (request_.encounters)
        simulation_.after_each_step([this](Simulation&) { add_encounters(); });
}

std::vector<ClusterTables::File*> ClusterTables::files()
{
    std::vector<File*> asked;
    if (request_.bound)
        asked.push_back(&bound_file_);
    if (request_.cluster)
        asked.insert(asked.end(), {&cluster_file_, &escapers_file_});
    if (request_.binaries)
        asked.push_back(&binaries_file_);
    if (request_.encounters)
        asked.push_back(&encounters_file_);
    return asked;
}

std::vector<std::string> ClusterTables::open(const RunFolder& folder)
{
    std::vector<std::string> notes;
    for (File* const one : files()) {
        const std::vector<TableColumn> all =
            joined_columns({{{"time", dimensions::time}}, one->columns, {{"step"}}});
        notes.push_back(
            one->file.open(folder.table(one->name), joined(headings_of(all, state_.units)) + "\n"));
    }
    return notes;
}

void ClusterTables::sync()
{
    for (File* const one : files())
        one->file.sync();
}

void ClusterTables::exchange(Archive& archive)
{
    if (!request_.is_asked())
        return;
    for (File* const one : files())
        one->file.exchange(archive, one->name);
    archive("cluster/chosen", chosen_);
    archive("cluster/has_escaped", has_escaped_);
    archive("cluster/escapers", escapers_);
    archive("cluster/escaped_mass", escaped_mass_);
}

std::string ClusterTables::names()
{
    std::string names;
    for (const File* const one : files())
        names += ", " + one->name;
    return names;
}

void ClusterTables::add(File& table, std::vector<std::string> cells)
{
    cells.insert(cells.begin(), number_text(simulation_.file_time()));
    cells.push_back(std::to_string(simulation_.step()));
    table.file.write(joined(cells) + "\n");
}

/// Returns the bound particles of the present step.
const BoundSystem& ClusterTables::bound()
{
    if (bound_step_ == simulation_.step())
        return bound_;
    Candidates candidates{chosen_, {}};
    if (chosen_.size() == state_.particles.size()) { // the run has their potentials
        candidates.potential = state_.particles.potential;
        if (const ExternalField* const field = simulation_.integrator().field()) {
            std::vector<double> depth(chosen_.size());
            field->add(simulation_.time(), state_.particles.position, {}, {}, depth);
            for (std::size_t k = 0; k < depth.size(); ++k)
                candidates.potential[k] -= depth[k];
        }
    }
    bound_ = unbinding_.find(state_.particles, std::move(candidates),
                             {simulation_.integrator().field(), simulation_.time()});
    bound_step_ = simulation_.step();
    return bound_;
}

void ClusterTables::add_escapers()
{
    const BoundSystem& system = bound();
    if (system.members.empty())
        return;
    const Particles& p = state_.particles;
    const double limit = std::isfinite(system.tidal_radius)
                             ? escape_in_tidal_radii * system.tidal_radius
                             : escape_in_half_mass_radii * system.half_mass_radius;
    auto member = system.members.begin();
    for (const Index i : chosen_) {
        if (member != system.members.end() && *member == i) {
            ++member;
            continue;
        }
        const double distance = norm(p.position[i] - system.center);
        if (has_escaped_[i] || !(distance > limit))
            continue;
        has_escaped_[i] = 1;
        ++escapers_;
        escaped_mass_ += p.mass[i];
        std::vector<std::string> cells{id_of(i)};
        append(cells, cells_of({p.mass[i], distance, norm(p.velocity[i] - system.velocity)}));
        add(escapers_file_, std::move(cells));
    }
}

/// Returns the Lagrangian radii of all bound particles and of each group of masses.
std::vector<std::string> ClusterTables::group_radii(const Vec3<double>& center) const
{
    const Particles& p = state_.particles;
    const std::size_t groups = request_.mass_groups.size() + 1;
    std::vector<Particles> group(groups > 1 ? groups + 1 : 1); // the first: all
    const auto put = [&](Particles& into, Index i) {
        into.mass.push_back(p.mass[i]);
        into.position.push_back(p.position[i]);
    };
    for (const Index i : bound_.members) {
        put(group[0], i);
        if (groups > 1)
            put(group[1 + std::size_t(std::ranges::upper_bound(request_.mass_groups, p.mass[i]) -
                                      request_.mass_groups.begin())],
                i);
    }
    std::vector<std::string> cells;
    for (std::size_t g = 0; g < group.size(); ++g) {
        if (g > 0)
            cells.push_back(std::to_string(group[g].size()));
        const bool is_empty =
            std::ranges::none_of(group[g].mass, [](double mass) { return mass > 0; });
        const std::vector<double> radii =
            is_empty ? std::vector<double>() : lagrangian_radii(group[g], center, fractions);
        for (std::size_t k = 0; k < fractions.size(); ++k)
            cells.push_back(is_empty ? "" : table_cell(radii[k]));
    }
    return cells;
}

void ClusterTables::add_cluster()
{
    const BoundSystem& system = bound();
    const ClusterCore core = cluster_core(state_.particles, system.members);
    const double n = double(system.members.size());
    std::vector<std::string> cells{std::to_string(system.members.size())};
    if (core.members == 0) { // too few particles for a core
        append(cells, cells_of({system.mass}));
        cells.resize(cluster_file_.columns.size() - 2);
    } else {
        const Vec3<double>& x = core.center;
        append(cells, cells_of({system.mass, x.x, x.y, x.z, core.radius, core.density}));
        cells.push_back(std::to_string(core.members));
        append(cells, cells_of({core.dispersion}));
        const std::vector<std::string> radii = group_radii(x);
        append(cells, radii);
        append(cells,
               cells_of({core_relaxation_time(core, G_, n),
                         half_mass_relaxation_time(G_, system.mass, n, std::stod(radii[2]))}));
    }
    cells.push_back(std::to_string(escapers_));
    append(cells, cells_of({escaped_mass_}));
    add(cluster_file_, std::move(cells));
}

void ClusterTables::add_binaries()
{
    const BoundSystem& system = bound();
    const Particles& p = state_.particles;
    for (const Binary& pair : binaries(p, system.members, G_)) {
        const double m1 = p.mass[pair.i], m2 = p.mass[pair.j];
        const Vec3<double> middle =
            (1 / (m1 + m2)) * (m1 * p.position[pair.i] + m2 * p.position[pair.j]);
        const KeplerOrbit& orbit = pair.orbit;
        std::vector<std::string> cells{id_of(pair.i), id_of(pair.j)};
        append(cells, cells_of({m1, m2, orbit.semi_major_axis, orbit.eccentricity, orbit.period,
                                pair.hardness, norm(middle - system.center)}));
        add(binaries_file_, std::move(cells));
    }
}

/// Adds the passages during the last step, at their own times.
void ClusterTables::add_encounters()
{
    const Particles& p = state_.particles;
    for (const Passage& one : simulation_.integrator().passages()) {
        std::vector<std::string> cells{number_text(one.time), id_of(one.i), id_of(one.j)};
        append(cells, cells_of({p.mass[one.i], p.mass[one.j], one.orbit.pericenter,
                                one.orbit.eccentricity, one.orbit.speed}));
        cells.push_back(std::to_string(simulation_.step()));
        encounters_file_.file.write(joined(cells) + "\n");
    }
}

} // namespace chamomile
