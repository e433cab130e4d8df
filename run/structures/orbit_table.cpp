#include "chamomile/run/structures/orbit_table.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "chamomile/core/error.hpp"
#include "chamomile/core/options/quantity.hpp"
#include "chamomile/core/parallel_loop.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/integrate/external/orbit.hpp"

namespace chamomile {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

struct Row {
    double id;
    OrbitPoint point;
    FieldPlace field;
    const Orbit* orbit; ///< null along a path
};

struct OrbitColumn {
    const char* name;
    Dimension dimension;
    double (*value)(const Row& row);
};

/// The columns; those from `orbit` on describe whole orbits.
const std::vector<OrbitColumn>& orbit_columns()
{
    using namespace dimensions;
    constexpr Dimension specific_momentum{2, 0, -1};
    static const std::vector<OrbitColumn> all = {
        {"id", none, [](const Row& r) { return r.id; }},
        {"time", time, [](const Row& r) { return r.point.time; }},
        {"x", length, [](const Row& r) { return r.point.position.x; }},
        {"y", length, [](const Row& r) { return r.point.position.y; }},
        {"z", length, [](const Row& r) { return r.point.position.z; }},
        {"vx", velocity, [](const Row& r) { return r.point.velocity.x; }},
        {"vy", velocity, [](const Row& r) { return r.point.velocity.y; }},
        {"vz", velocity, [](const Row& r) { return r.point.velocity.z; }},
        {"potential", potential, [](const Row& r) { return r.field.potential; }},
        {"ax", acceleration, [](const Row& r) { return r.field.acceleration.x; }},
        {"ay", acceleration, [](const Row& r) { return r.field.acceleration.y; }},
        {"az", acceleration, [](const Row& r) { return r.field.acceleration.z; }},
        {"circular_speed", velocity,
         [](const Row& r) { return r.field.circular_speed.value_or(nothing); }},
        {"escape_speed", velocity,
         [](const Row& r) { return r.field.escape_speed.value_or(nothing); }},
        {"energy", potential,
         [](const Row& r) { return 0.5 * norm_squared(r.point.velocity) + r.field.potential; }},
        {"angular_momentum", specific_momentum,
         [](const Row& r) { return norm(cross(r.point.position, r.point.velocity)); }},
        {"angular_momentum_z", specific_momentum,
         [](const Row& r) { return cross(r.point.position, r.point.velocity).z; }},
        {"pericenter", length, [](const Row& r) { return r.orbit->pericenter.value_or(nothing); }},
        {"apocenter", length, [](const Row& r) { return r.orbit->apocenter.value_or(nothing); }},
        {"max_height", length, [](const Row& r) { return r.orbit->max_height; }},
        {"radial_period", time,
         [](const Row& r) { return r.orbit->radial_period.value_or(nothing); }},
        {"revolution", time, [](const Row& r) { return r.orbit->revolution.value_or(nothing); }}};
    return all;
}

/// Number of columns of a path.
constexpr std::size_t path_columns = 17;

} // namespace

OrbitTable orbit_table(const Snapshot& snapshot, const ExternalField& field,
                       const OrbitTableRequest& request)
{
    if (request.rows > 0 && !request.duration)
        throw Error(Fault::usage, "{rows}: needs {duration}");
    const Particles& p = snapshot.particles;
    std::vector<Orbit> orbits(p.size());
    parallel_loop(p.size(), 1, [&](std::size_t i) {
        orbits[i] = follow_orbit(field, {snapshot.time, p.position[i], p.velocity[i]},
                                 {.length = request.duration, .parts = request.rows});
    });
    const std::size_t n = request.rows > 0 ? path_columns : orbit_columns().size();
    OrbitTable table;
    for (std::size_t c = 0; c < n; ++c)
        table.headings.push_back(
            heading(orbit_columns()[c].name, orbit_columns()[c].dimension, snapshot.units));
    table.columns.resize(n);
    const auto add = [&](const Row& row) {
        for (std::size_t c = 0; c < n; ++c)
            table.columns[c].push_back(orbit_columns()[c].value(row));
    };
    for (std::size_t i = 0; i < p.size(); ++i) {
        const OrbitPoint start{snapshot.time, p.position[i], p.velocity[i]};
        const auto id = double(p.id[i]);
        if (request.rows == 0)
            add({id, start, field_at(field, start.time, start.position), &orbits[i]});
        for (const OrbitPoint& point : orbits[i].path)
            add({id, point, field_at(field, point.time, point.position), nullptr});
    }
    return table;
}

std::string OrbitTable::csv() const
{
    Table table(headings);
    for (std::size_t k = 0; k < columns.front().size(); ++k) {
        std::vector<std::string> row;
        for (const std::vector<double>& column : columns)
            row.push_back(std::isfinite(column[k]) ? formatted("%.12g", column[k]) : "");
        table.add(std::move(row));
    }
    return table.csv();
}

} // namespace chamomile
