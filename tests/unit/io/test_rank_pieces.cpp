// HDF5 snapshots in pieces that ranks write together.
#include <sys/resource.h>

#include "chamomile/core/files/memory_archive.hpp"
#include "chamomile/core/ranks/thread_ranks.hpp"
#include "chamomile/integrate/ranks/home_rows.hpp"
#include "chamomile/io/hdf5/pieces.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/failing_rank.hpp"
#include "tests/unit/snapshot_fixture.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("rank_pieces");

namespace {

Snapshot moving_snapshot(std::size_t n)
{
    Snapshot snapshot = sample_snapshot(n);
    snapshot.has_accelerations = snapshot.has_potentials = true;
    snapshot.units = Units::gadget(true);
    snapshot.comoving = ComovingFrame{0.5, 0.3, 0.7, 0.7};
    snapshot.time = 0.5;
    snapshot.box_size = 1e5;
    snapshot.softening = Softening{SofteningKind::spline, 0.25};
    snapshot.provenance["command"] = "a test";
    Scatter scatter;
    for (std::size_t i = 0; i < n; ++i)
        snapshot.particles.softening.push_back(2 + scatter());
    return snapshot;
}

/// Returns particles [begin, end).
Particles home_rows(const Particles& all, std::size_t begin, std::size_t end)
{
    Particles home;
    for_each_column(
        [&](Column, const std::string&, const auto& from, auto& to) {
            to.assign(from.begin() + std::ptrdiff_t(begin), from.begin() + std::ptrdiff_t(end));
        },
        all, home);
    return home;
}

/// Rows of ranks that cannot be written from the third request on.
class FailingRows final : public RowsByType {
public:
    explicit FailingRows(RowsByType& rows) : rows_(rows) {}
    std::size_t max() const override { return rows_.max(); }
    void finish() override { rows_.finish(); }

private:
    std::span<const std::byte> read_bytes_of(const RowRange& range) override
    {
        if (++requests_ == 3)
            throw Error(Fault::output, "a disk fails");
        return rows_.read<std::byte>(range);
    }

    RowsByType& rows_;
    int requests_ = 0;
};

/// Writes the snapshot on one of the ranks, which have runs of its particles, after a message as
/// from rank 0.
void write_share(const Snapshot& snapshot, const std::filesystem::path& path, int pieces,
                 Communicator& ranks, double factor = 1, bool fails = false)
{
    MemoryArchive sent;
    WholeSnapshot(snapshot).exchange(sent);
    WholeSnapshot whole;
    MemoryArchive received(sent.bytes());
    whole.exchange(received);
    const std::size_t n = snapshot.particles.size();
    const Particles home = home_rows(snapshot.particles, ranks.first_of_run(n, ranks.rank()),
                                     ranks.first_of_run(n, ranks.rank() + 1));
    HomeRows rows(home, factor, ranks);
    FailingRows failing(rows);
    RowsByType& used = fails ? static_cast<RowsByType&>(failing) : rows;
    CHECK(write_pieces(whole, used, path, pieces, ranks));
}

void write_on_ranks(const Snapshot& snapshot, const std::filesystem::path& path, int pieces,
                    int number, double factor = 1, std::optional<std::uint64_t> held_back = {})
{
    const auto write = [&](Communicator& ranks) {
        write_share(snapshot, path, pieces, ranks, factor);
    };
    run_ranks(number, write, {.held_back = held_back});
}

std::vector<std::string> names_in(const TemporaryFolder& folder)
{
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

void check_equal_files(const TemporaryFolder& a, const TemporaryFolder& b)
{
    CHECK(names_in(a) == names_in(b));
    for (const std::string& name : names_in(a)) {
        CAPTURE(name);
        CHECK(file_bytes(a / name) == file_bytes(b / name));
    }
}

} // namespace

TEST_CASE("ranks write pieces with the bytes of a single rank")
{
    const std::size_t several_chunks = 6 * 66001;
    for (const std::size_t n : {std::size_t(4), std::size_t(597), several_chunks}) {
        const Snapshot snapshot = moving_snapshot(n);
        for (const int pieces : {1, 2, 5}) {
            const TemporaryFolder one;
            write_snapshot(snapshot, one / "a.hdf5", pieces);
            for (const int number : {1, 2, 3, 7}) {
                if ((n == several_chunks && (number != 3 || pieces != 2)) || (number == 7 && n > 4))
                    continue;
                CAPTURE(n);
                CAPTURE(pieces);
                CAPTURE(number);
                const TemporaryFolder folder;
                write_on_ranks(snapshot, folder / "a.hdf5", pieces, number, 1, number);
                check_equal_files(folder, one);
            }
        }
    }
}

TEST_CASE("ranks convert momenta to velocities, and equal softenings of a type to classes")
{
    Snapshot snapshot = moving_snapshot(500);
    Particles& particles = snapshot.particles;
    for (std::size_t i = 0; i < particles.size(); ++i)
        particles.softening[i] = 1 + particles.type[i] / 2;
    const TemporaryFolder one, folder;
    write_on_ranks(snapshot, folder / "a.hdf5", 4, 3, 2.5);
    for (Vec3<double>& v : particles.velocity)
        v = 2.5 * v;
    write_snapshot(snapshot, one / "a.hdf5", 4);
    check_equal_files(folder, one);
}

TEST_CASE("a piece that does not fit on one rank leaves no file and one error on all ranks")
{
    Snapshot snapshot = moving_snapshot(3 * 300 + 1); // equal types: piece 2 gets a row more
    std::ranges::fill(snapshot.particles.type, std::uint8_t(1));
    const TemporaryFolder one, folder;
    write_snapshot(snapshot, one / "a.hdf5", 3);
    rlimit before;
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    // 104 bytes a row, 7 columns
    const rlimit room_for_300{rlim_t(300 * 104 * 1.01) + 7 * 4096 + (1 << 17), before.rlim_max};
    for (const bool replaces : {false, true}) {
        if (replaces)
            write_snapshot(snapshot, folder / "a.hdf5", 3);
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &room_for_300) == 0);
        const std::string line =
            error_line([&] { write_on_ranks(snapshot, folder / "a.hdf5", 3, 3); }, Fault::output);
        CHECK(::setrlimit(RLIMIT_FSIZE, &before) == 0);
        CHECK(contains(line, "a.2.hdf5: file: File too large"));
        if (replaces)
            check_equal_files(folder, one);
        else
            CHECK(names_in(folder).empty());
    }
}

TEST_CASE("a rank that cannot write its rows fails on all ranks, without files")
{
    const Snapshot snapshot = moving_snapshot(60);
    for (const int failing : {0, 2}) {
        const TemporaryFolder folder;
        const auto write = [&](Communicator& ranks) {
            write_share(snapshot, folder / "a.hdf5", 3, ranks, 1, ranks.rank() == failing);
        };
        CHECK(
            contains(error_line([&] { run_ranks(3, write, {}); }, Fault::output), "a disk fails"));
        CHECK(names_in(folder).empty());
    }
}

TEST_CASE("a rank that fails at any exchange ends all ranks, with all files or none")
{
    const Snapshot snapshot = moving_snapshot(60);
    for (const int failing : {0, 2}) {
        bool has_occurred = true;
        for (int exchange = 0; has_occurred; exchange += failing == 0 ? 5 : 1) {
            CAPTURE(failing);
            CAPTURE(exchange);
            const TemporaryFolder folder;
            const FailedRanks failed = run_with_fault(3, failing, exchange, [&](Communicator& own) {
                own.run_or_fail([&] { write_share(snapshot, folder / "a.hdf5", 3, own); });
            });
            has_occurred = failed.has_occurred;
            CHECK(failed.reports);
            const std::size_t files = names_in(folder).size();
            CHECK((files == 4 || (has_occurred && files == 0)));
        }
    }
}

TEST_SUITE_END();
