#include "chamomile/run/files/snapshot_writer.hpp"

#include <algorithm>
#include <utility>

#include "chamomile/core/parallel_copy.hpp"
#include "chamomile/core/system/free_memory.hpp"
#include "chamomile/core/system/signals_blocked.hpp"
#include "chamomile/force/threads.hpp"

namespace chamomile {
namespace {

/// Returns the size of all arrays in bytes.
std::uint64_t bytes_of(const Particles& p)
{
    std::uint64_t bytes = 0;
    for_each_column([&](Column, const std::string&,
                        const auto& values) { bytes += p.size() * sizeof values[0]; },
                    p);
    return bytes;
}

void copy(const Particles& from, Particles& to)
{
    for_each_column([](Column, const std::string&, const auto& values,
                       auto& copies) { parallel_copy(values, copies); },
                    from, to);
}

} // namespace

SnapshotWriter::~SnapshotWriter()
{
    if (thread_.joinable())
        thread_.join();
}

void SnapshotWriter::write(const Snapshot& snapshot, ParticleReader& rows,
                           const std::filesystem::path& file, int pieces)
{
    finish();
    // A new copy may use half of the free memory. Its memory is kept for later snapshots.
    if (!rows.is_on_host() || (copy_.particles.size() != snapshot.particles.size() &&
                               bytes_of(snapshot.particles) > free_memory() / 2)) {
        write_snapshot(snapshot, rows, file, pieces);
        return;
    }
    static_cast<SnapshotFacts&>(copy_) = snapshot;
    copy(snapshot.particles, copy_.particles);
    file_ = file;
    pieces_ = pieces;
    const int threads = std::max(1, thread_count() / 4); // the run needs the other threads
    const SignalsBlocked blocked;
    thread_ = std::thread([this, threads] {
        try {
            use_threads(threads);
            write_copy();
        } catch (...) {
            failure_ = std::current_exception();
        }
    });
}

void SnapshotWriter::write_copy()
{
    write_snapshot(copy_, file_, pieces_);
    file_.clear();
}

void SnapshotWriter::finish()
{
    if (thread_.joinable())
        thread_.join();
    if (failure_)
        std::rethrow_exception(std::exchange(failure_, nullptr));
    if (!file_.empty())
        write_copy();
}

} // namespace chamomile
