#include "chamomile/run/files/track_file.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/option_row.hpp"
#include "chamomile/core/options/quantity.hpp"
#include "chamomile/io/text/id_list.hpp"

namespace chamomile {

void TrackFile::choose(const std::string& text, const Particles& particles)
{
    const bool is_list = !is_file(text);
    ids_ = is_list ? parse_numbers<std::uint64_t>("{track}", text, ranges::not_negative)
                   : read_ids(text);
    std::vector<std::pair<std::uint64_t, GlobalIndex>> known;
    for (std::size_t i = 0; i < particles.id.size(); ++i)
        known.emplace_back(particles.id[i], i);
    std::sort(known.begin(), known.end());
    for (const std::uint64_t id : ids_) {
        const auto found =
            std::lower_bound(known.begin(), known.end(), std::pair{id, GlobalIndex(0)});
        const std::string word = "{track}: " + (is_list ? "" : text + ": ") + std::to_string(id);
        if (found == known.end() || found->first != id)
            throw Error(Fault::usage, word + ": no particle has this id");
        if (std::find(which_.begin(), which_.end(), found->second) != which_.end())
            throw Error(Fault::usage, word + ": is given twice");
        which_.push_back(found->second);
    }
}

std::string TrackFile::open(const std::filesystem::path& file, bool is_comoving, const Units& units)
{
    is_comoving_ = is_comoving;
    const Dimension time = is_comoving ? dimensions::none : dimensions::time;
    std::string line = heading(is_comoving ? "a" : "time", time, units) + ",id";
    for (const char* name : {"x", "y", "z"})
        line += "," + heading(name, dimensions::length, units);
    for (const char* name : {"vx", "vy", "vz"})
        line += "," + heading(name, dimensions::velocity, units);
    return file_.open(file, line + "\n");
}

std::string TrackFile::rows_at(Simulation& simulation, double time)
{
    points_.resize(which_.size());
    simulation.gather(which_, points_);
    const double shown = simulation.integrator().clock().file_time(time);
    const double factor = is_comoving_ ? 1 / shown : 1; // PeculiarVelocities
    std::string rows;
    for (std::size_t k = 0; k < ids_.size(); ++k) {
        rows += number_text(shown) + "," + std::to_string(ids_[k]);
        const PhasePoint& p = points_[k];
        for (const Vec3<double>& v : {p.position, factor * p.velocity})
            rows += "," + value_text(v);
        rows += "\n";
    }
    return rows;
}

void TrackFile::add(Simulation& simulation)
{
    const double start = wall_clock_seconds();
    std::string rows = std::exchange(noted_, {});
    if (simulation.step() % every_ == 0 || simulation.at_end())
        rows += rows_at(simulation, simulation.time());
    if (!rows.empty())
        file_.write(rows);
    seconds_ += wall_clock_seconds() - start;
}

void TrackFile::note(Simulation& simulation, double time)
{
    const double start = wall_clock_seconds();
    noted_ += rows_at(simulation, time);
    seconds_ += wall_clock_seconds() - start;
}

void TrackFile::exchange(Archive& archive)
{
    file_.exchange(archive, "track");
    archive("track/ids", ids_);
    if (!archive.is_reading() || archive.has("track/places"))
        return archive("track/places", which_);
    std::vector<Index> which; // written by earlier versions
    archive("track/which", which);
    which_.assign(which.begin(), which.end());
}

} // namespace chamomile
