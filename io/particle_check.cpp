#include "chamomile/io/particle_check.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <string>

#include "chamomile/core/bounds.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/number_text.hpp"

namespace chamomile {
namespace {

std::string particle_name(const Particles& particles, std::size_t i)
{
    return "particle " + std::to_string(i) + " (id " + std::to_string(particles.id[i]) + ")";
}

/// Checks vectors of the particles from index `first` on; returns the box around them.
Box check_finite(const Particles& particles, std::span<const Vec3<double>> vectors,
                 std::size_t first, const char* field, const std::filesystem::path& file)
{
    const PointBounds found = bounds_of(vectors);
    if (found.first_not_finite == vectors.size())
        return found.box;
    const Vec3<double>& v = vectors[found.first_not_finite];
    const char axis = !std::isfinite(v.x) ? 'x' : !std::isfinite(v.y) ? 'y' : 'z';
    const double value = axis == 'x' ? v.x : axis == 'y' ? v.y : v.z;
    throw bad_input(
        file, particle_name(particles, first + found.first_not_finite) + ", " + field + " " + axis,
        number_text(value), "must be finite");
}

/// Returns whether two ids are equal. Uses a bit table if the ids are dense enough.
bool has_duplicates(const std::vector<std::uint64_t>& id)
{
    bool ascends = true; // as usual
#pragma omp parallel for if (id.size() > worth_threads) reduction(&& : ascends)
    for (std::size_t i = 1; i < id.size(); ++i)
        ascends = ascends && id[i - 1] < id[i];
    if (ascends)
        return false;
    const auto [low, high] = std::minmax_element(id.begin(), id.end());
    const std::uint64_t span = *high - *low;
    if (span / 64 <= id.size()) {
        std::vector<bool> seen(span + 1);
        for (std::uint64_t value : id) {
            if (seen[value - *low])
                return true;
            seen[value - *low] = true;
        }
        return false;
    }
    std::vector<std::uint64_t> sorted = id;
    std::sort(sorted.begin(), sorted.end());
    return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

void check_ids(const Particles& particles, const std::filesystem::path& file)
{
    if (!has_duplicates(particles.id))
        return;
    std::vector<GlobalIndex> order(particles.size());
    std::iota(order.begin(), order.end(), GlobalIndex(0));
    const auto id = [&](GlobalIndex i) { return particles.id[i]; };
    std::ranges::stable_sort(order, {}, id);
    const auto first = std::ranges::adjacent_find(order, {}, id);
    throw bad_input(
        file, "particles " + std::to_string(first[0]) + " and " + std::to_string(first[1]) + ", id",
        std::to_string(particles.id[*first]), "must be unique");
}

} // namespace

void check_masses(const Particles& particles, const std::filesystem::path& file,
                  const std::string& hint)
{
    double total = 0;
    const std::size_t n = particles.size();
    std::size_t wrong = n;
#pragma omp parallel for if (n > worth_threads) reduction(+ : total) reduction(min : wrong)
    for (std::size_t i = 0; i < n; ++i) {
        const double mass = particles.mass[i];
        if (!(mass >= 0) || !std::isfinite(mass))
            wrong = std::min(wrong, i);
        total += mass;
    }
    if (wrong < n)
        throw bad_input(file, particle_name(particles, wrong) + ", mass",
                        number_text(particles.mass[wrong]), "must be finite and 0 or more" + hint);
    if (!std::isfinite(total))
        throw bad_input(file, "mass of all particles", number_text(total), "must be finite");
}

void check_particles(const Particles& particles, const std::filesystem::path& file, Masses masses)
{
    RowsInMemory rows(particles);
    check_constant(particles, file, masses);
    check_moving(particles, rows, file);
}

Box check_moving(const Particles& particles, ParticleReader& rows,
                 const std::filesystem::path& file)
{
    const auto check = [&](Column value, const char* field) {
        Box box;
        rows.for_blocks(particles.size(), [&](std::size_t begin, std::size_t end) {
            box.add(check_finite(particles, rows.read_vectors(value, {begin, end}), begin, field,
                                 file));
        });
        return box;
    };
    const Box box = check(Column::position, "position");
    check(Column::velocity, "velocity");
    return box;
}

void check_constant(const Particles& particles, const std::filesystem::path& file, Masses masses)
{
    check_masses(particles, file);
    const auto& mass = particles.mass;
    if (masses == Masses::needed && !mass.empty() &&
        std::all_of(mass.begin(), mass.end(), [](double m) { return m == 0; }))
        throw bad_input(
            file, "mass", "0 for all " + std::to_string(particles.size()) + " particles",
            "must have a positive mass; 'chamomile run {tracers} FILE' moves massless particles");
    for (std::size_t i = 0; i < particles.softening.size(); ++i)
        if (const double length = particles.softening[i]; !(length >= 0) || !std::isfinite(length))
            throw bad_input(file, particle_name(particles, i) + ", softening length",
                            number_text(length), "must be finite and 0 or more");
    if (masses != Masses::inspected)
        check_ids(particles, file);
}

void require_particles(const Particles& particles, const std::filesystem::path& file)
{
    if (particles.size() == 0)
        throw bad_input(file, "particles", "0", "must be at least one");
}

} // namespace chamomile
