// Checkpoints in parts that ranks write: read as one file, whole or refused, at any end of the
// program.
#include <algorithm>
#include <fstream>
#include <functional>

#include "chamomile/core/ranks/thread_ranks.hpp"
#include "chamomile/run/files/checkpoints.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/failing_rank.hpp"
#include "tests/unit/snapshot_fixture.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("rank_checkpoints");

namespace {

constexpr std::size_t count = 1000;

using Meanwhile = std::function<void()>;

/// Writes rows on one of the ranks, then the checkpoint on rank 0. `value` tells states apart;
/// `meanwhile` runs while the checkpoint is written.
void write_share(const std::filesystem::path& folder, std::uint64_t step, double value,
                 Communicator& ranks, const Meanwhile& meanwhile = {})
{
    std::vector<double> rows;
    std::vector<std::uint64_t> ids;
    for (std::size_t i = ranks.first_of_run(count, ranks.rank());
         i < ranks.first_of_run(count, ranks.rank() + 1); ++i) {
        rows.push_back(value + double(i));
        ids.push_back(i);
    }
    const auto exchange_rows = [&](Archive& archive) {
        archive("rows", rows);
        archive("particles/id", ids);
    };
    const auto write_parts = [&](const std::filesystem::path& file) {
        return ranks.size() == 1
                   ? CheckpointParts()
                   : write_checkpoint_parts(file, exchange_rows, ranks).value_or(CheckpointParts());
    };
    const auto exchange = [&](Archive& archive) {
        std::uint64_t of_step = step;
        archive("simulation/step", of_step);
        exchange_rows(archive); // left out beside parts
        if (meanwhile && !dynamic_cast<ArchiveSize*>(&archive))
            meanwhile();
    };
    if (ranks.rank() == 0)
        Checkpoints(folder).write(step, exchange, write_parts);
    else
        write_parts(folder);
}

void write(const TemporaryFolder& folder, std::uint64_t step, double value, int number,
           const Meanwhile& meanwhile = {})
{
    run_ranks(
        number,
        [&](Communicator& ranks) { write_share(folder.path(), step, value, ranks, meanwhile); },
        {});
}

/// Returns the step and the first row of the checkpoint to continue from.
std::pair<std::uint64_t, double> restart(const std::filesystem::path& folder)
{
    const RestartPoint point = find_restart(folder);
    std::uint64_t step = 0;
    std::vector<double> rows;
    (*point.archive)("simulation/step", step);
    (*point.archive)("rows", rows);
    REQUIRE(rows.size() == count);
    for (std::size_t i = 0; i < count; ++i)
        rows[i] -= double(i);
    CHECK(std::ranges::count(rows, rows[0]) == count);
    return {step, rows[0]};
}

using State = std::pair<std::uint64_t, double>;

std::vector<std::string> names_in(const std::filesystem::path& folder)
{
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

std::string file_of(int step, const std::string& part = "")
{
    return "checkpoint_0000000" + std::to_string(step) + ".chk" + part;
}

/// A rank that does not see the files of rank 0 in a folder.
class ApartRank final : public Communicator {
public:
    ApartRank(Communicator& ranks, std::filesystem::path folder)
        : ranks_(ranks), folder_(std::move(folder))
    {}

    int rank() const override { return ranks_.rank(); }
    int size() const override { return ranks_.size(); }

private:
    void transfer(std::span<const std::span<const std::byte>> to, Inbox& inbox,
                  Timeout timeout) override
    {
        ranks_.exchange(to, inbox, timeout);
        if (std::exchange(has_removed_, has_removed_ || !names_in(folder_).empty()))
            return; // rank 0 may write by now
        for (const std::string& name : names_in(folder_))
            std::filesystem::remove(folder_ / name);
    }

    Communicator& ranks_;
    std::filesystem::path folder_;
    bool has_removed_ = false;
};

} // namespace

TEST_CASE("parts of any number of ranks hold the content of one file")
{
    const TemporaryFolder one;
    write(one, 10, 0.5, 1);
    const CheckpointReader whole(one / file_of(10));
    for (const int number : {2, 3, 7}) {
        CAPTURE(number);
        const TemporaryFolder folder;
        write(folder, 10, 0.5, number);
        CHECK(names_in(folder.path()).size() == std::size_t(number) + 1);
        CHECK(std::filesystem::file_size(folder / file_of(10)) < 1000);
        CHECK(restart(folder.path()) == State(10, 0.5));
        CheckpointReader parts(folder / file_of(10));
        CHECK(parts.agrees(whole, "rows"));
        CHECK(parts.agrees(whole, "particles/id"));
        for (const std::size_t length : {1, 143, 400}) // across files
            for (std::size_t begin = 0; begin + length <= count; begin += 97) {
                std::vector<double> some(length);
                parts.part("rows", begin, std::span(some));
                CHECK(some.front() == 0.5 + double(begin));
                CHECK(some.back() == 0.5 + double(begin + length - 1));
            }
        std::vector<double> beyond(2);
        CHECK(contains(error_line([&] { parts.part("rows", count - 1, std::span(beyond)); }),
                       "rows: 8000 bytes: must be at least 8008"));
    }
}

TEST_CASE("a part that is missing, damaged or of another checkpoint is refused by name")
{
    const TemporaryFolder folder, other;
    write(folder, 10, 0.5, 3);
    write(folder, 20, 0.25, 3);
    write(other, 20, 0.125, 3);
    const auto part = folder / file_of(20, ".0.1");
    const std::string bytes = file_bytes(part);
    const auto rejected = [&] {
        CHECK(restart(folder.path()) == State(10, 0.5));
        const RestartPoint point = find_restart(folder.path());
        REQUIRE(point.rejected.size() == 1);
        CHECK(contains(error_line([&] { find_restart(folder / file_of(20)); }, Fault::restart),
                       point.rejected[0]));
        return point.rejected[0].substr(folder.path().string().size() + 1);
    };
    std::filesystem::remove(part);
    CHECK(rejected() ==
          file_of(20, ".0.1: file: No such file or directory: must be a readable file"));
    std::filesystem::copy(other / file_of(20, ".0.1"), part);
    CHECK(rejected() == file_of(20, ".0.1: part: of another checkpoint: must be the part written "
                                    "with checkpoint_000000020.chk"));
    for (std::size_t byte = 0; byte < bytes.size(); byte += 31) {
        CAPTURE(byte);
        std::string flipped = bytes;
        flipped[byte] = char(flipped[byte] ^ 1 << (byte % 8));
        std::ofstream(part, std::ios::binary) << flipped;
        CHECK(rejected().starts_with(file_of(20, ".0.1: ")));
    }
    std::ofstream(part, std::ios::binary) << bytes.substr(0, bytes.size() - 1);
    CHECK(contains(rejected(), "truncated"));
    std::ofstream(part, std::ios::binary) << bytes;
    CHECK(restart(folder.path()) == State(20, 0.25));

    CheckpointReader open(folder / file_of(20));
    std::string changed = bytes;
    changed[1000] ^= 1;
    std::ofstream(part, std::ios::binary) << changed;
    std::vector<double> rows;
    CHECK(contains(error_line([&] { open("rows", rows); }, Fault::restart),
                   file_of(20, ".0.1: rows: check sum: changed while being read")));
}

TEST_CASE("a program that ends at any phase leaves a whole checkpoint and no part for long")
{
    const TemporaryFolder complete;
    write(complete, 10, 0.5, 2);
    write(complete, 20, 0.25, 3);
    const std::vector<std::string> phases[] = {
        {".0.0.tmp.1", ".0.1.tmp.2", ".0.2.tmp.3"}, // being written
        {".0.0", ".0.1", ".0.2.tmp.3"},             // being named
        {".0.0", ".0.1", ".0.2"},                   // without the checkpoint
        {".0.0", ".0.1", ".0.2", ".tmp.4"},
        {".0.0", ".0.1", ".0.2", ""}};
    for (const auto& phase : phases)
        for (const int number : {1, 2}) {
            const TemporaryFolder folder;
            for (const std::string& name : names_in(complete.path()))
                if (name.starts_with(file_of(10)))
                    std::filesystem::copy(complete / name, folder / name);
            for (const std::string& end : phase)
                std::filesystem::copy(complete / file_of(20, end.substr(0, end.find(".tmp"))),
                                      folder / file_of(20, end));
            const bool is_named = phase.back().empty();
            CHECK(restart(folder.path()) == (is_named ? State(20, 0.25) : State(10, 0.5)));
            write(folder, 20, 0.125, number); // as a run that continues
            CHECK(restart(folder.path()) == State(20, 0.125));
            std::vector<std::string> left = names_in(folder.path());
            std::erase_if(left, [](const std::string& name) { return contains(name, ".tmp."); });
            CHECK(left.size() == (number == 1 ? 4 : 6)); // of step 10: 3
            write(folder, 30, 0.75, number);
            write(folder, 40, 0.75, 1);
            for (const std::string& name : names_in(folder.path()))
                CHECK((contains(name, ".tmp.") || name.starts_with(file_of(30)) ||
                       name == file_of(40)));
        }
}

TEST_CASE("a checkpoint that cannot be written keeps the one of the same step, and its parts")
{
    const TemporaryFolder folder;
    write(folder, 10, 0.5, 3);
    const std::vector<std::string> before = names_in(folder.path());
    const auto fail = [] { throw Error(Fault::output, "a disk fails"); };
    const std::string line = error_line([&] { write(folder, 10, 0.25, 3, fail); }, Fault::output);
    CHECK(contains(line, "a disk fails"));
    CHECK(names_in(folder.path()) == before);
    CHECK(restart(folder.path()) == State(10, 0.5));
    std::filesystem::copy(folder / file_of(10), folder / file_of(10, ".aside"));
    write(folder, 10, 0.25, 2);
    CHECK(restart(folder.path()) == State(10, 0.25));
    std::filesystem::rename(folder / file_of(10, ".aside"), folder / file_of(10));
    CHECK(restart(folder.path()) == State(10, 0.5)); // parts of files put aside stay
    CHECK(is_checkpoint_name(file_of(10, ".0.2")));
    CHECK(!is_checkpoint_name(file_of(10, ".0")));
    CHECK(!is_checkpoint_name(file_of(10, ".0.x")));
}

TEST_CASE("a checkpoint whose name another program has taken stays whole under its temporary name")
{
    const TemporaryFolder folder;
    const auto taken = [&] { std::ofstream(folder / file_of(10)) << "other"; };
    const std::string line = error_line([&] { write(folder, 10, 0.5, 3, taken); }, Fault::output);
    CHECK(contains(line, "this output is in"));
    for (const std::string& name : names_in(folder.path()))
        if (contains(name, ".tmp."))
            std::filesystem::rename(folder / name, folder / file_of(10));
    CHECK(restart(folder.path()) == State(10, 0.5));
}

TEST_CASE("a rank that fails at any exchange leaves the earlier checkpoint, or the new one whole")
{
    for (const int failing : {0, 2}) {
        bool has_occurred = true;
        for (int exchange = 0; has_occurred; ++exchange) {
            CAPTURE(failing);
            CAPTURE(exchange);
            const TemporaryFolder folder;
            write(folder, 10, 0.5, 3);
            const FailedRanks failed = run_with_fault(3, failing, exchange, [&](Communicator& own) {
                own.run_or_fail([&] { write_share(folder.path(), 20, 0.25, own); });
            });
            has_occurred = failed.has_occurred;
            CHECK(failed.reports);
            const State found = restart(folder.path());
            CHECK((found == State(20, 0.25) || (has_occurred && found == State(10, 0.5))));
            if (found.first == 10)
                for (const std::string& name : names_in(folder.path()))
                    CHECK(!contains(name, ".tmp."));
        }
    }
}

TEST_CASE("a rank that does not see the folder leaves one file to rank 0")
{
    const TemporaryFolder folder, one;
    write(one, 10, 0.5, 1);
    run_ranks(3,
              [&](Communicator& ranks) {
                  ApartRank apart(ranks, folder.path());
                  write_share(folder.path(), 10, 0.5, ranks.rank() == 1 ? apart : ranks);
              },
              {});
    CHECK(names_in(folder.path()) == std::vector<std::string>{file_of(10)});
    CHECK(CheckpointReader(folder / file_of(10)).has("rows"));
}

TEST_SUITE_END();
