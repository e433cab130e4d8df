#include "chamomile/run/texts/stated_forces.hpp"

#include <algorithm>
#include <array>

#include "chamomile/core/number_text.hpp"
#include "chamomile/core/particle_types.hpp"
#include "chamomile/io/comoving.hpp"

namespace chamomile {
namespace {

/// Sets per-particle softening from the lengths by type.
Refusal set_type_softenings(const SolverOptions& solver, const GivenOptions& given,
                            Particles& particles)
{
    const auto& [in_order, of_type] = solver.type_softenings;
    const std::string types = "the particles have " + types_of(particles);
    std::array<bool, 6> occurs{};
    for (const std::uint8_t type : particles.type)
        occurs[type] = true;
    std::array<double, 6> length{};
    length.fill(solver.softening.length);
    if (!in_order.empty() && !of_type.empty())
        return "{eps-type}: contradicts several lengths by {eps}; give one";
    const std::size_t count = std::size_t(std::count(occurs.begin(), occurs.end(), true));
    if (!in_order.empty() && in_order.size() != count)
        return "{eps}: " + row_of(force_options(), "eps").text(solver) +
               ": must be one length, or one per type, " + std::to_string(count) + ": " + types;
    std::size_t next = 0;
    for (std::size_t type = 0; type < occurs.size(); ++type) {
        const auto own = of_type.find(int(type));
        const std::string name = std::to_string(type) + " (" + type_names[type] + ")";
        if (own != of_type.end() && !occurs[type])
            return "{eps-type}: " + name + ": no such particles: " + types;
        if (occurs[type] && own == of_type.end() && in_order.empty() && !given.contains("eps"))
            return "{eps-type}: " + name + ": length missing: give it, or {eps} for other types";
        if (own != of_type.end())
            length[type] = own->second;
        else if (occurs[type] && !in_order.empty())
            length[type] = in_order[next++];
    }
    particles.softening.clear();
    for (const std::uint8_t type : particles.type)
        particles.softening.push_back(length[type]);
    return {};
}

/// Sets per-particle softening and solver.softening. Equal lengths become one common length, unless
/// the rule for pairs is root-of-squares.
Refusal set_softenings(const GivenOptions& given, Particles& particles, SolverOptions& solver)
{
    if (particles.size() == 0)
        return {};
    if (!solver.type_softenings.empty()) {
        if (const Refusal line = set_type_softenings(solver, given, particles))
            return line;
    } else if (given.contains("eps")) {
        particles.softening.clear();
    }
    std::vector<double>& own = particles.softening;
    solver.softening.per_particle = false;
    if (!own.empty()) {
        const auto [min, largest] = std::minmax_element(own.begin(), own.end());
        solver.softening.per_particle =
            *min < *largest || solver.softening.rule == SofteningRule::root_of_squares;
        solver.softening.length = *largest;
    }
    if (solver.softening.per_particle)
        return {};
    own.clear();
    solver.type_softenings = {};
    return refuse_idle_rule(solver, given);
}

} // namespace

Refusal adopt_stated(Snapshot& snapshot, const GivenOptions& given, SolverOptions& solver)
{
    if (!given.contains("G"))
        solver.gravitational_constant = snapshot.G();
    if (snapshot.softening && !given.contains("eps"))
        solver.softening.length = snapshot.softening->length;
    if (snapshot.softening && !given.contains("softening"))
        solver.softening.kind = snapshot.softening->kind;
    if (snapshot.softening && !given.contains("eps-rule"))
        solver.softening.rule = snapshot.softening->rule;
    if (const Refusal line = set_softenings(given, snapshot.particles, solver))
        return line;
    if (!given.contains("box"))
        solver.box = snapshot.box_size;
    else if (solver.is_periodic() && contradicts_box(solver.box, snapshot))
        return "{box}: " + number_text(solver.box) + ": contradicts the box of " +
               number_text(snapshot.box_size) + " in the snapshot; {box} 0 ignores the box";
    return {};
}

} // namespace chamomile
