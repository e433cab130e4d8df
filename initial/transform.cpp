#include "chamomile/initial/transform.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/initial/models/kepler.hpp"
#include "chamomile/initial/models/self_energy.hpp"
#include "chamomile/io/file_rows.hpp"
#include "chamomile/io/text/id_list.hpp"
#include "chamomile/io/unit_conversion.hpp"

namespace chamomile {
namespace {

/// Relative difference below which two numbers stated by files count as equal.
constexpr double relative_tolerance = 1e-6;

/// A Turn is a rotation matrix.
struct Turn {
    Vec3<double> x, y, z; ///< rows

    Vec3<double> operator()(const Vec3<double>& a) const
    {
        return {x.x * a.x + x.y * a.y + x.z * a.z, y.x * a.x + y.y * a.y + y.z * a.z,
                z.x * a.x + z.y * a.y + z.z * a.z};
    }
};

/// Returns the rotation by Euler angles in degrees about z, then x, then z.
Turn turn_by(const Vec3<double>& angles)
{
    constexpr double degree = std::numbers::pi / 180;
    const double c1 = std::cos(angles.x * degree), s1 = std::sin(angles.x * degree),
                 c2 = std::cos(angles.y * degree), s2 = std::sin(angles.y * degree),
                 c3 = std::cos(angles.z * degree), s3 = std::sin(angles.z * degree);
    return {{c3 * c1 - s3 * c2 * s1, -c3 * s1 - s3 * c2 * c1, s3 * s2},
            {s3 * c1 + c3 * c2 * s1, -s3 * s1 + c3 * c2 * c1, -c3 * s2},
            {s2 * s1, s2 * c1, c2}};
}

double mass_of(const Particles& particles)
{
    double mass = 0;
    for (double m : particles.mass)
        mass += m;
    return mass;
}

template <class T>
void keep_some(std::vector<T>& values, const std::vector<bool>& kept)
{
    std::size_t count = 0;
    for (std::size_t i = 0; i < kept.size(); ++i)
        if (kept[i])
            values[count++] = values[i];
    values.resize(count);
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from)
{
    to.insert(to.end(), from.begin(), from.end());
}

bool differ(double a, double b)
{
    return std::abs(a - b) > relative_tolerance * std::max(std::abs(a), std::abs(b));
}

/// Throws Error(usage) unless `part` has the frame, G, box and cosmology of `first`.
void require_alike(const Snapshot& first, const Snapshot& part, const std::string& name)
{
    const auto require = [&](const char* what, double found, double wanted) {
        if (differ(found, wanted))
            throw Error(Fault::usage, name + ": " + what + ": " + number_text(found) +
                                          ": must be equal to the first file, " +
                                          number_text(wanted));
    };
    if (first.comoving.has_value() != part.comoving.has_value())
        throw Error(Fault::usage,
                    name + (part.comoving
                                ? ": comoving coordinates: must be plain, as in the first file"
                                : ": plain coordinates: must be comoving, as in the first file"));
    require("G", part.G(), first.G());
    require("box size", part.box_size, first.box_size);
    if (!first.comoving)
        return;
    const ComovingFrame &a = *part.comoving, &b = *first.comoving;
    require("scale factor", a.scale_factor, b.scale_factor);
    require("Omega_m", a.omega_matter, b.omega_matter);
    require("Omega_Lambda", a.omega_lambda, b.omega_lambda);
    require("Omega_r", a.omega_radiation, b.omega_radiation);
    require("h", a.hubble, b.hubble);
    require("w0", a.w0, b.w0);
    require("wa", a.wa, b.wa);
}

/// Shifts `ids` above all ids of `there` if the two lists share an id.
void keep_ids_apart(const std::vector<std::uint64_t>& there, std::vector<std::uint64_t>& ids,
                    const std::string& name)
{
    if (there.empty() || ids.empty())
        return;
    std::vector<std::uint64_t> sorted = there;
    std::sort(sorted.begin(), sorted.end());
    if (std::none_of(ids.begin(), ids.end(), [&](std::uint64_t id) {
            return std::binary_search(sorted.begin(), sorted.end(), id);
        }))
        return;
    const auto [min, max] = std::minmax_element(ids.begin(), ids.end());
    const std::uint64_t begin = sorted.back() + 1, smallest = *min, width = *max - *min;
    if (begin == 0 || width > std::numeric_limits<std::uint64_t>::max() - begin)
        throw Error(Fault::usage, name + ": ids to " + std::to_string(*max) +
                                      ": too large to be shifted above the ids of other files");
    for (std::uint64_t& id : ids)
        id = id - smallest + begin;
}

std::string ids_text(const std::vector<std::uint64_t>& ids)
{
    if (ids.empty())
        return "no particles";
    const auto [min, max] = std::minmax_element(ids.begin(), ids.end());
    return std::to_string(ids.size()) + " particles, ids " + std::to_string(*min) + " to " +
           std::to_string(*max);
}

/// Joins the softenings: one length if both parts agree, otherwise per-particle softening. Drops
/// the softening if a part states none, or another kind or rule.
void join_softenings(Snapshot& all, Snapshot& part, const std::string& name)
{
    auto &first = all.softening, &second = part.softening;
    if (!first && !second)
        return;
    if (!first || !second || first->kind != second->kind ||
        (first->per_particle && second->per_particle && first->rule != second->rule)) {
        all.notes.push_back(name + ": softening differs between files: left out");
        first.reset();
        all.particles.softening.clear();
        part.particles.softening.clear();
        return;
    }
    if (!first->per_particle && !second->per_particle && !differ(first->length, second->length))
        return;
    for (Snapshot* each : {&all, &part})
        if (!each->softening->per_particle)
            each->particles.softening.assign(each->particles.size(), each->softening->length);
    if (!first->per_particle)
        first->rule = second->rule;
    first->per_particle = true;
    first->length = std::max(first->length, second->length);
}

/// Keeps only the extra columns that both snapshots have.
void join_extra_columns(Snapshot& all, Snapshot& part, const std::string& name)
{
    auto &first = all.particles.extra, &second = part.particles.extra;
    const auto drop = [&](auto& from, const auto& other) {
        std::erase_if(from, [&](const auto& column) {
            const bool is_lost = !other.contains(column.first);
            if (is_lost)
                all.notes.push_back(name + ": column " + column.first +
                                    ": not in all files: left out");
            return is_lost;
        });
    };
    drop(first, second);
    drop(second, first);
}

/// Returns a 64-bit hash of x (Steele et al. 2014, splitmix64).
std::uint64_t scrambled(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/// Returns the end of the mass group that begins at order[begin]. `order` is sorted by type and
/// mass. Particles of equal mass form a group. Masses with fewer than n particles each are merged
/// into one group, up to twice its first mass.
std::size_t end_of_kind(const Particles& p, const std::vector<Index>& order, std::size_t begin,
                        std::uint64_t n)
{
    const auto end_of_mass = [&](std::size_t k) {
        const Index first = order[k];
        while (k < order.size() && p.type[order[k]] == p.type[first] &&
               p.mass[order[k]] == p.mass[first])
            ++k;
        return k;
    };
    const Index first = order[begin];
    std::size_t end = end_of_mass(begin);
    if (end - begin >= n)
        return end;
    while (end < order.size() && p.type[order[end]] == p.type[first] &&
           p.mass[order[end]] <= 2 * p.mass[first]) {
        const std::size_t next = end_of_mass(end);
        if (next - end >= n)
            break;
        end = next;
    }
    return end;
}

void forget_forces(Snapshot& snapshot)
{
    snapshot.has_accelerations = snapshot.has_potentials = false;
    snapshot.particles.acceleration.clear();
    snapshot.particles.potential.clear();
}

} // namespace

void place(Snapshot& snapshot, const Placement& placement, const std::string& what)
{
    const Vec3<double> none{};
    const bool moves = placement.recentered || placement.angles || !(placement.shift == none) ||
                       !(placement.boost == none);
    if (!moves)
        return;
    if (snapshot.box_size > 0 && (placement.angles || placement.recentered))
        throw Error(Fault::usage,
                    what + ": particles in a periodic box of " + number_text(snapshot.box_size) +
                        ": " +
                        (placement.recentered ? "cannot be centered; use {shift} X,Y,Z"
                                              : "cannot be rotated"));
    forget_forces(snapshot);
    Particles& particles = snapshot.particles;
    if (placement.recentered && mass_of(particles) > 0)
        move_to_barycenter(particles);
    const Turn turn = turn_by(placement.angles.value_or(Vec3<double>{}));
    for (std::size_t i = 0; i < particles.size(); ++i) {
        Vec3<double>&x = particles.position[i], &v = particles.velocity[i];
        if (placement.angles) {
            x = turn(x);
            v = turn(v);
        }
        x = Periodicity{snapshot.box_size}.wrapped(x + placement.shift);
        v += placement.boost;
    }
}

void keep_particles(Snapshot& snapshot, const std::function<bool(std::size_t)>& is_kept)
{
    Particles& particles = snapshot.particles;
    std::vector<bool> kept(particles.size());
    for (std::size_t i = 0; i < particles.size(); ++i)
        kept[i] = is_kept(i);
    if (std::ranges::find(kept, false) == kept.end())
        return;
    for_each_column(
        [&](Column, const std::string&, auto& values) {
            if (!values.empty())
                keep_some(values, kept);
        },
        particles);
    forget_forces(snapshot); // the forces included the removed particles
}

void keep_types(Snapshot& snapshot, const std::vector<int>& types)
{
    keep_particles(snapshot, [&](std::size_t i) {
        return std::count(types.begin(), types.end(), int(snapshot.particles.type[i])) > 0;
    });
}

void keep_ids(Snapshot& snapshot, const std::filesystem::path& file)
{
    const std::vector<Index> chosen = places_of_ids(snapshot.particles, file);
    keep_particles(snapshot, [&, next = chosen.begin()](std::size_t i) mutable {
        return next != chosen.end() && *next == i && ++next > chosen.begin();
    });
}

void retype(Snapshot& snapshot, const std::array<std::uint8_t, 6>& new_types)
{
    for (std::uint8_t& type : snapshot.particles.type)
        type = new_types[type];
}

void keep_sphere(Snapshot& snapshot, const Vec3<double>& center, double radius)
{
    const Periodicity box{snapshot.box_size};
    keep_particles(snapshot, [&](std::size_t i) {
        const Vec3<double> d = box.nearest(snapshot.particles.position[i] - center);
        return d.x * d.x + d.y * d.y + d.z * d.z <= radius * radius;
    });
}

void thin_out(Snapshot& snapshot, std::uint64_t n)
{
    Particles& p = snapshot.particles;
    std::vector<Index> order(p.size());
    std::iota(order.begin(), order.end(), Index(0));
    const auto is_lighter = [&](Index a, Index b) {
        return std::pair(p.type[a], p.mass[a]) < std::pair(p.type[b], p.mass[b]);
    };
    if (!std::is_sorted(order.begin(), order.end(), is_lighter))
        std::sort(order.begin(), order.end(), is_lighter);
    const auto chance = [&](Index i) { return std::pair(scrambled(p.id[i]), scrambled(i)); };
    std::vector<bool> is_kept(p.size(), false);
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        end = end_of_kind(p, order, begin, n);
        const std::span kind(order.begin() + std::ptrdiff_t(begin),
                             order.begin() + std::ptrdiff_t(end));
        const std::span kept = kind.first((kind.size() - 1) / n + 1);
        std::nth_element(kind.begin(), kept.end() - 1, kind.end(),
                         [&](Index a, Index b) { return chance(a) < chance(b); });
        double before = 0, after = 0;
        for (Index i : kind)
            before += p.mass[i];
        for (Index i : kept)
            after += p.mass[i];
        for (Index i : kept) {
            is_kept[i] = true;
            if (after > 0)
                p.mass[i] *= before / after;
        }
    }
    keep_particles(snapshot, [&](std::size_t i) { return is_kept[i]; });
}

double OrbitRequest::start() const
{
    const double apocenter = eccentricity < 1 ? pericenter * (1 + eccentricity) / (1 - eccentricity)
                                              : std::numeric_limits<double>::infinity();
    return separation.value_or(std::min(10 * pericenter, apocenter));
}

void place_on_orbit(Snapshot& first, Snapshot& second, const OrbitRequest& orbit)
{
    const double one = mass_of(first.particles), other = mass_of(second.particles);
    if (!(one + other > 0))
        throw Error(Fault::usage, "{orbit}: needs particles with mass");
    const RelativeOrbit relative = orbit_before_pericenter(
        first.G() * (one + other), orbit.eccentricity, orbit.pericenter, orbit.start());
    const double part = other / (one + other);
    const auto at = [&](double share) {
        return Placement{.recentered = true,
                         .angles = {},
                         .shift = share * relative.position,
                         .boost = share * relative.velocity};
    };
    place(first, at(-part), "{orbit}");
    place(second, at(1 - part), "{orbit}");
}

void share_units(const Snapshot& first, Snapshot& part, const std::string& name)
{
    if (part.units == first.units)
        return;
    if (!part.units.physical || !first.units.physical)
        throw Error(Fault::usage, name + ": " + part.units.description() +
                                      ": must be in units of the first file, " +
                                      first.units.description() + ", or converted by {units}");
    convert_units(part, first.units, name);
}

Snapshot joined(std::vector<Snapshot> parts, const std::vector<std::string>& names)
{
    Snapshot& all = parts.front();
    all.provenance = {{"joined_1", names[0] + ": " + ids_text(all.particles.id)}};
    for (std::size_t k = 1; k < parts.size(); ++k) {
        Snapshot& part = parts[k];
        require_alike(all, part, names[k]);
        if (!all.comoving && differ(part.time, all.time))
            all.notes.push_back(names[k] + ": time " + number_text(part.time) +
                                " replaced by the time of the first file, " +
                                number_text(all.time));
        join_softenings(all, part, names[k]);
        Particles &to = all.particles, &from = part.particles;
        keep_ids_apart(to.id, from.id, names[k]);
        all.provenance["joined_" + std::to_string(k + 1)] = names[k] + ": " + ids_text(from.id);
        if (to.size() + from.size() >= std::numeric_limits<Index>::max())
            throw Error(Fault::usage, names[k] + ": " + std::to_string(from.size()) +
                                          " particles: total must be below 2^32 - 1");
        join_extra_columns(all, part, names[k]);
        if (all.deferred && part.deferred)
            all.deferred = FileRows::joined(all.deferred, to.size(), part.deferred);
        else
            for (Snapshot* each : {&all, &part})
                load_deferred(*each);
        for_each_column([](Column, const std::string&, auto& first,
                           const auto& second) { append(first, second); },
                        to, from);
    }
    forget_forces(all);
    return std::move(all);
}

} // namespace chamomile
