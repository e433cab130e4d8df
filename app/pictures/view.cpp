/// \file  `chamomile view`: plays snapshots in a browser.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <list>
#include <numeric>
#include <optional>
#include <sstream>

#include <glob.h>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/options/options.hpp"
#include "app/pictures/viewing.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/core/profile.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/run/run_settings.hpp"
#include "chamomile/run/structures/analysed.hpp"

namespace chamomile::app {
namespace {

volatile std::sig_atomic_t interrupted = 0;

/// Returns the files matching the patterns, in name order. Throws Error(input) for a pattern
/// without a match.
std::vector<std::string> expanded(const std::vector<std::string>& patterns)
{
    std::vector<std::string> files;
    for (const std::string& pattern : patterns) {
        if (std::filesystem::exists(pattern) || pattern.find_first_of("*?[") == pattern.npos) {
            files.push_back(pattern);
            continue;
        }
        glob_t found = {};
        const bool has_found = ::glob(pattern.c_str(), 0, nullptr, &found) == 0;
        files.insert(files.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
        ::globfree(&found);
        if (!has_found)
            throw Error(Fault::input, pattern + ": no file has such a name");
    }
    return files;
}

/// Sorts particles by id: other programs may write them in any order.
void order_by_id(Particles& particles)
{
    if (std::is_sorted(particles.id.begin(), particles.id.end()))
        return;
    std::vector<Index> order(particles.size());
    std::iota(order.begin(), order.end(), Index(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return particles.id[a] < particles.id[b]; });
    const auto arrange = [&](auto& values) {
        const auto before = values;
        for (std::size_t k = 0; k < order.size(); ++k)
            values[k] = before[order[k]];
    };
    arrange(particles.id);
    arrange(particles.type);
    arrange(particles.mass);
    arrange(particles.position);
    arrange(particles.velocity);
}

/// Returns the provenance common to all snapshots of a run: initial conditions, and options that
/// cannot change on restart. Empty for files from other programs.
std::string run_of(const Snapshot& snapshot)
{
    const auto stated = [&](const char* key) {
        const auto found = snapshot.provenance.find(key);
        return found == snapshot.provenance.end() ? std::string() : found->second;
    };
    std::vector<std::string> changing = changeable_options();
    changing.insert(changing.end(), {"overwrite", "tune"});
    for (const auto* rows : {&force_options(), &rank_options()})
        for (const auto& row : *rows) // a run states settings by their keys
            std::replace(changing.begin(), changing.end(), row.name, row.key());
    std::string run = stated("initial_conditions");
    std::istringstream words(stated("options"));
    for (std::string word; words >> word;)
        if (std::find(changing.begin(), changing.end(), word.substr(0, word.find('='))) ==
            changing.end())
            run += " " + word;
    return run;
}

/// Throws Error(input) unless the snapshot belongs to the run of the first one.
void require_same_run(const Snapshot& first, const Snapshot& other, const std::string& file,
                      const std::string& first_file)
{
    const auto refuse = [&](const std::string& what) {
        throw Error(Fault::input, file + ": " + what + " differ from those of " + first_file +
                                      ": all files must come from one run");
    };
    if (other.particles.size() != first.particles.size())
        refuse("its " + std::to_string(other.particles.size()) + " particles");
    if (!(other.units == first.units) || other.box_size != first.box_size ||
        other.comoving.has_value() != first.comoving.has_value())
        refuse("its units or box");
    if (other.particles.id != first.particles.id || other.particles.type != first.particles.type)
        refuse("the ids and types of its particles");
    const std::string one = run_of(first), another = run_of(other);
    if (!one.empty() && !another.empty() && one != another)
        refuse("its initial conditions or options");
}

/// A Player shows snapshots in a view, automatically or on request. Caches two snapshots.
class Player {
public:
    Player(const Options& options, std::vector<std::string> files, LiveView& view)
        : options_(options), files_(std::move(files)), view_(view)
    {
        const Snapshot& first = snapshot(0);
        scene_ = scene_of(first, std::filesystem::path(files_[0]).filename().string());
        for (std::size_t k = 0; k < files_.size(); ++k) {
            const Snapshot& one = snapshot(k);
            require_same_run(snapshot(0), one, files_[k], files_[0]);
            scene_.times.push_back(one.comoving ? one.comoving->scale_factor : one.time);
        }
        view_.begin(scene_, snapshot(0).particles);
    }

    void play()
    {
        while (!interrupted) {
            for (const LiveView::Command& command : view_.consume_commands())
                obey(command);
            const bool is_time = plays_ && wall_clock_seconds() >= next_at_;
            if (is_time)
                turn_to((shown_ + 1) % files_.size());
            if (view_.has_waiting() && (changed_ || view_.is_insufficient()))
                show();
            view_.wait(plays_ ? std::clamp(next_at_ - wall_clock_seconds(), 0.001, 0.1) : 0.1);
        }
    }

private:
    using Kept = std::pair<std::size_t, Snapshot>;

    /// Returns a snapshot; reads the file unless the snapshot is one of the last two used.
    const Snapshot& snapshot(std::size_t number)
    {
        for (auto one = kept_.begin(); one != kept_.end(); ++one)
            if (one->first == number) {
                kept_.splice(kept_.begin(), kept_, one);
                return kept_.front().second;
            }
        while (kept_.size() > 1)
            kept_.pop_back();
        kept_.emplace_front(number, read_particles(files_[number], Masses::may_lack));
        Snapshot& read = kept_.front().second;
        order_by_id(read.particles);
        use_positions_only(read);
        print_notes(options_, read);
        for (Vec3<double>& place : read.particles.position)
            place = Periodicity{read.box_size}.wrapped(place);
        return read;
    }

    void turn_to(std::size_t number)
    {
        shown_ = number;
        next_at_ = wall_clock_seconds() + 1 / pace_;
        changed_ = true;
    }

    void obey(const LiveView::Command& command)
    {
        changed_ = true;
        switch (command.command) {
        case ViewCommand::pause:
            plays_ = false;
            break;
        case ViewCommand::go:
            plays_ = true;
            turn_to((shown_ + 1) % files_.size());
            break;
        case ViewCommand::step:
            plays_ = false;
            turn_to((shown_ + 1) % files_.size());
            break;
        case ViewCommand::pace:
            pace_ = command.number > 0 ? command.number : fastest;
            asked_pace_ = command.number;
            next_at_ = 0;
            break;
        case ViewCommand::show:
            turn_to(std::min(std::size_t(command.number), files_.size() - 1));
            break;
        case ViewCommand::checkpoint:
        case ViewCommand::stop:
            break; // nothing runs here
        }
    }

    void show()
    {
        const Snapshot& now = snapshot(shown_);
        ViewStatus status;
        status.step = shown_;
        if (const auto step = now.provenance.find("step"); step != now.provenance.end())
            status.step = std::strtoull(step->second.c_str(), nullptr, 10);
        status.time = scene_.time_text(scene_.times[shown_]);
        status.progress = std::filesystem::path(files_[shown_]).filename().string() + ", " +
                          std::to_string(shown_ + 1) + " of " + std::to_string(files_.size());
        status.paused = !plays_;
        status.pace = asked_pace_;
        status.file = shown_;
        status.speed_unit = scene_.speed_unit;
        view_.show(source_of(now.particles), status);
        changed_ = false;
    }

    static constexpr double fastest = 20; ///< files a second

    const Options& options_;
    std::vector<std::string> files_;
    LiveView& view_;
    ViewScene scene_;
    std::list<Kept> kept_;
    std::size_t shown_ = 0;
    bool plays_ = false, changed_ = true;
    double pace_ = fastest, asked_pace_ = 0, next_at_ = 0;
};

} // namespace

int view(const std::vector<std::string>& arguments)
{
    std::vector<std::string> patterns;
    std::optional<int> port;
    Options options("view", "Shows the snapshots of a run in a browser, where they can be turned, "
                            "played and scrubbed; Ctrl-C ends it.");
    options.positional("FILE", patterns,
                       "snapshots of one run, or quoted patterns such as 'out/snapshot_*.hdf5'");
    OptionRows<std::optional<int>> rows;
    rows.port("port", std::identity(), "port of this machine for the page; default: any free port");
    options.add(rows.take(), port);
    if (!options.parse(arguments))
        return 0;
    std::vector<std::string> files = expanded(patterns);
    record_snapshots(files);
    const std::unique_ptr<LiveView> live = make_view(port.value_or(0), "--port");
    Player player(options, files, *live);
    for (const int signal : {SIGINT, SIGTERM})
        std::signal(signal, [](int) { interrupted = 1; });
    announce(*live);
    player.play();
    return 0;
}

} // namespace chamomile::app
