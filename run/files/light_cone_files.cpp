#include "chamomile/run/files/light_cone_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include <fcntl.h>
#include <unistd.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/norm.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/option_row.hpp"
#include "chamomile/core/system/free_memory.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/run/structures/comoving_run.hpp"

namespace chamomile {

namespace fs = std::filesystem;

namespace {

constexpr const char* redshift_column = "Redshifts";

/// Memory to write a row of a shell: a Crossing and a snapshot's columns.
constexpr double bytes_in_memory = 150;

/// Max rows of a shell that wait in memory for the next checkpoint: 300 MB.
constexpr std::size_t max_held = 1 << 22;

Error failure(const fs::path& file)
{
    return Error(Fault::output, file.string() + ": cannot be written: " + std::strerror(errno));
}

/// An open file of rows.
class RowFile {
public:
    explicit RowFile(const fs::path& path)
        : path_(path), descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666))
    {
        if (descriptor_ < 0)
            throw failure(path_);
    }
    ~RowFile() { ::close(descriptor_); }
    RowFile(const RowFile&) = delete;
    RowFile& operator=(const RowFile&) = delete;

    /// Overwrites the file from row `first` on.
    void write(std::uint64_t first, std::span<const Crossing> rows)
    {
        std::span<const std::byte> left = std::as_bytes(rows);
        for (std::uint64_t at = first * sizeof(Crossing); !left.empty();) {
            const ssize_t n = ::pwrite(descriptor_, left.data(), left.size(), off_t(at));
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0)
                throw failure(path_);
            at += std::uint64_t(n);
            left = left.subspan(std::size_t(n));
        }
    }

    /// Reads rows from the begin.
    void read(std::span<Crossing> rows)
    {
        std::span<std::byte> left = std::as_writable_bytes(rows);
        for (std::uint64_t at = 0; !left.empty();) {
            const ssize_t n = ::pread(descriptor_, left.data(), left.size(), off_t(at));
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0)
                throw Error(Fault::input, path_.string() + ": cannot be read");
            at += std::uint64_t(n);
            left = left.subspan(std::size_t(n));
        }
    }

    void sync()
    {
        if (::fsync(descriptor_) != 0 && errno != EINVAL)
            throw failure(path_);
    }

private:
    const fs::path& path_;
    int descriptor_;
};

/// Returns the number of rows in a file; 0 if it is missing.
std::uint64_t rows_in(const fs::path& file)
{
    std::error_code none;
    const std::uintmax_t bytes = fs::file_size(file, none);
    return none ? 0 : std::uint64_t(bytes) / sizeof(Crossing);
}

std::vector<Crossing> rows_of_shell(const fs::path& file)
{
    const Snapshot shell = read_snapshot(file, Masses::inspected);
    const Particles& p = shell.particles;
    const auto redshift = p.extra.find(redshift_column);
    std::vector<Crossing> rows;
    for (std::size_t i = 0; i < p.size() && redshift != p.extra.end(); ++i)
        rows.push_back({p.position[i], p.velocity[i], p.mass[i], redshift->second[i], p.id[i]});
    return rows;
}

LightCone cone_of(const LightConeRequest& request, const Snapshot& state)
{
    constexpr double speed_of_light = 2.99792458e10; // cm/s
    const Units& units = state.units;
    return {.background = background_of(*state.comoving),
            .hubble_length = speed_of_light / units.velocity_in_cm_per_s /
                             units.hubble_rate(state.comoving->hubble),
            .side = state.box_size,
            .observer = request.observer.value_or(Vec3<double>{}),
            .is_octant = request.sky == Sky::octant};
}

} // namespace

LightConeFiles::LightConeFiles(const LightConeRequest& request, const Snapshot& state,
                               Simulation& simulation)
    : request_(request), state_(state), simulation_(simulation), cone_(cone_of(request, state)),
      limits_(request.redshifts)
{
    const auto refuse = [](double z, const std::string& why) {
        throw Error(Fault::usage, "{light-cone}: " + number_text(z) + ": " + why);
    };
    std::ranges::sort(limits_);
    if (limits_.size() < 2)
        refuse(limits_[0], "must be two or more redshifts: the limits of a shell");
    if (const auto same = std::ranges::adjacent_find(limits_); same != limits_.end())
        refuse(*same, "is given twice");
    const double start = scale_factor_of(limits_.back()), end = scale_factor_of(limits_.front()),
                 first = std::exp(simulation.start_time()), last = std::exp(simulation.end_time());
    if (limits_.front() < 0)
        refuse(limits_.front(), "must be 0 or more");
    if (start < first * (1 - 1e-9))
        refuse(limits_.back(),
               formatted("must be at most %.6g, the redshift of the start", redshift_of(first)));
    if (end > last * (1 + 1e-9))
        refuse(limits_.front(),
               formatted("must be at least %.6g, the redshift of the end", redshift_of(last)));
    rows_.resize(shells());
    held_.resize(shells());
    open_shells_ = shells();
    for (const double z : limits_)
        distances_.push_back(cone_.radius_at(scale_factor_of(z)));
    cone_.near = distances_.front();
    cone_.far = distances_.back();
    cone_.radius = cone_.radius_at(first);
    for (std::size_t k = 0; k < shells(); ++k)
        require_room(k);
    simulation_.record_crossings(cone_);
}

/// Returns the expected number of particles between two distances.
double LightConeFiles::expected(double near, double far) const
{
    const double volume = 4 * std::numbers::pi / 3 * (std::pow(far, 3) - std::pow(near, 3)) /
                          (cone_.is_octant ? 8 : 1);
    return volume / std::pow(cone_.side, 3) * double(state_.particles.size());
}

/// Refuses a shell that no snapshot or memory holds.
void LightConeFiles::require_room(std::size_t shell) const
{
    const double rows = expected(distances_[shell], distances_[shell + 1]);
    double max = std::numeric_limits<std::uint32_t>::max() - 1.;
    if (const std::uint64_t free = free_memory())
        max = std::min(max, double(free) / bytes_in_memory);
    if (rows > max)
        throw Error(Fault::usage, "{light-cone}: z = " + number_text(limits_[shell]) + " to " +
                                      number_text(limits_[shell + 1]) +
                                      formatted(": about %.3g particles: must be at most %.3g, for "
                                                "a file and this machine's memory; give more "
                                                "shells or lower redshifts",
                                                rows, max));
}

fs::path LightConeFiles::part(std::size_t shell) const
{
    return folder_->light_cone(int(shell)).replace_extension(".part");
}

void LightConeFiles::open(const RunFolder& folder)
{
    folder_ = &folder;
    for (std::size_t k = 0; k < open_shells_; ++k)
        require_rows(k);
    add();
}

/// Requires the rows of an unfinished shell. Takes them from its complete file if that was written
/// after the checkpoint.
void LightConeFiles::require_rows(std::size_t shell) const
{
    const fs::path file = folder_->light_cone(int(shell)), rows = part(shell);
    std::error_code none;
    if (rows_in(rows) >= rows_[shell])
        return;
    if (fs::exists(file, none)) {
        std::vector<Crossing> kept = rows_of_shell(file);
        if (kept.size() >= rows_[shell]) {
            kept.resize(std::size_t(rows_[shell]));
            return RowFile(rows).write(0, kept);
        }
    }
    throw Error(Fault::restart, rows.string() + ": has " + std::to_string(rows_in(rows)) +
                                    " rows: must be " + std::to_string(rows_[shell]) +
                                    ", as at the checkpoint");
}

void LightConeFiles::add()
{
    cone_.radius = simulation_.integrator().light_cone()->radius;
    if (cone_.radius < cone_.far)
        for (const Crossing& one : simulation_.take_crossings()) {
            const auto limit = std::ranges::upper_bound(distances_, norm(one.position));
            const auto shell = std::uint64_t(limit - distances_.begin()) - 1;
            held_[std::min(shell, open_shells_ - 1)].push_back(one); // rounding at a limit
        }
    for (std::size_t k = 0; k < open_shells_; ++k)
        if (held_[k].size() >= max_held)
            write_rows(k);
    finish_shells();
}

void LightConeFiles::write_rows(std::size_t shell)
{
    RowFile(part(shell)).write(rows_[shell], held_[shell]);
    rows_[shell] += held_[shell].size();
    held_[shell].clear();
}

/// Writes the shells through which the light cone has passed.
void LightConeFiles::finish_shells()
{
    for (; open_shells_ > 0 && cone_.radius <= distances_[open_shells_ - 1]; --open_shells_) {
        const std::size_t shell = open_shells_ - 1;
        write_shell(shell);
        held_[shell] = {};
        std::error_code none;
        fs::remove(part(shell), none);
    }
}

void LightConeFiles::write_shell(std::size_t shell) const
{
    Snapshot snapshot;
    static_cast<SnapshotFacts&>(snapshot) = state_;
    snapshot.box_size = 0;
    snapshot.time = snapshot.comoving->scale_factor = 1; // of the observer
    snapshot.has_accelerations = snapshot.has_potentials = false;
    snapshot.provenance["light_cone"] = shell_text(shell);
    std::vector<Crossing> rows;
    rows.reserve(std::size_t(rows_[shell]) + held_[shell].size());
    rows.resize(std::size_t(rows_[shell]));
    if (!rows.empty())
        RowFile(part(shell)).read(rows);
    rows.insert(rows.end(), held_[shell].begin(), held_[shell].end());
    Particles& p = snapshot.particles;
    p.resize(rows.size());
    std::vector<double>& redshift = p.extra[redshift_column];
    redshift.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Crossing& one = rows[i];
        p.position[i] = one.position;
        p.velocity[i] = one.velocity;
        p.mass[i] = one.mass;
        p.id[i] = one.id;
        redshift[i] = one.redshift;
    }
    write_snapshot(snapshot, folder_->light_cone(int(shell)));
}

void LightConeFiles::sync()
{
    for (std::size_t k = 0; k < open_shells_; ++k) {
        if (!held_[k].empty())
            write_rows(k);
        if (rows_[k] > 0)
            RowFile(part(k)).sync();
    }
}

void LightConeFiles::exchange(Archive& archive)
{
    archive("light-cone/radius", cone_.radius);
    archive("light-cone/rows", rows_);
    archive("light-cone/open", open_shells_);
    if (rows_.size() != shells() || open_shells_ > shells())
        throw Error(Fault::restart, "light-cone/rows: " + std::to_string(rows_.size()) +
                                        " shells: must be " + std::to_string(shells()));
    if (archive.is_reading())
        simulation_.record_crossings(cone_);
}

std::string LightConeFiles::shell_text(std::size_t shell) const
{
    return "redshift " + number_text(limits_[shell]) + " to " + number_text(limits_[shell + 1]) +
           ", distance " + number_text(distances_[shell]) + " to " +
           number_text(distances_[shell + 1]) + " from the observer at " +
           value_text(cone_.observer) + (cone_.is_octant ? ", an octant" : ", the whole sky") +
           " of a box of " + number_text(cone_.side);
}

std::string LightConeFiles::description() const
{
    const double particles = expected(cone_.near, cone_.far);
    return "z = " + number_text(limits_.front()) + " to " + number_text(limits_.back()) + " in " +
           counted(shells(), "shell") + ", " + (cone_.is_octant ? "an octant" : "the whole sky") +
           formatted(" around %s to a distance of %.5g, %.3g boxes, about %.3g particles",
                     value_text(cone_.observer).c_str(), cone_.far,
                     particles / double(state_.particles.size()), particles);
}

std::string LightConeFiles::summary() const
{
    return formatted("%zu of %zu shells light_cone_NNN.hdf5", shells() - std::size_t(open_shells_),
                     shells());
}

} // namespace chamomile
