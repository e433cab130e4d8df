// Archive files: every value is restored, and all damage is detected.
#include <cmath>
#include <fstream>
#include <limits>

#include <doctest/doctest.h>

#include "chamomile/core/files/memory_archive.hpp"
#include "chamomile/io/checkpoint/checkpoint_file.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/snapshot_fixture.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("checkpoint");

namespace {

struct State {
    double real = 0;
    int whole = 0;
    bool yes = false;
    Fault word = Fault::usage;
    std::uint64_t large = 0;
    std::vector<double> reals;
    std::vector<std::uint8_t> bytes;
    std::vector<Vec3<double>> vectors;
    Vec3<double> vector;
    std::string text;
    std::optional<double> some, none = 3;
    std::map<int, std::uint64_t> counts;
    std::vector<std::string> lines;
    std::map<std::string, std::string> names;

    void exchange(Archive& archive)
    {
        archive("real", real);
        archive("whole", whole);
        archive("yes", yes);
        archive("word", word, Fault::restart);
        archive("large", large);
        archive("reals", reals);
        archive("bytes", bytes);
        archive.records("vectors", vectors);
        archive("vector", vector);
        archive("text", text);
        archive("some", some);
        archive("none", none);
        archive("counts", counts);
        archive("lines", lines);
        archive("names", names);
    }
};

State full()
{
    State state;
    state.real = -0.0;
    state.whole = -7;
    state.yes = true;
    state.word = Fault::device;
    state.large = ~0ull;
    state.reals = {1. / 3, NAN, -INFINITY, 5e-324, std::numeric_limits<double>::max()};
    state.bytes.assign(3000, 5);
    state.vectors.assign(1500, {1, 2, 1. / 3});
    state.vector = {0.1, 0.2, 0.3};
    state.text = "two\nlines";
    state.some = 0.1;
    state.none = {};
    state.counts = {{-40, 3}, {2, 1ull << 60}};
    state.lines = {"a", "", "c"};
    state.names = {{"key", "value"}, {"empty", ""}};
    return state;
}

std::uint64_t write(const std::filesystem::path& file, State state = full())
{
    return write_checkpoint(file, [&](Archive& archive) { state.exchange(archive); });
}

std::string refusal(const std::filesystem::path& file)
{
    try {
        CheckpointReader whole(file);
        State state;
        state.exchange(whole);
    } catch (const Error& error) {
        CHECK((error.fault() == Fault::restart || error.fault() == Fault::input));
        return error.what();
    }
    return "";
}

std::string bytes_of(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void put_bytes(const std::filesystem::path& file, const std::string& bytes)
{
    std::ofstream(file, std::ios::binary) << bytes;
}

} // namespace

TEST_CASE("checkpoints restore values of every type bitwise")
{
    const TemporaryFolder folder;
    const std::uint64_t bytes = write(folder / "a.chk");
    CHECK(bytes == std::filesystem::file_size(folder / "a.chk"));
    CheckpointReader archive(folder / "a.chk");
    State state;
    state.exchange(archive);
    const State expected = full();
    CHECK(std::signbit(state.real));
    CHECK(state.whole == -7);
    CHECK(state.yes);
    CHECK(state.word == Fault::device);
    CHECK(state.large == ~0ull);
    REQUIRE(state.reals.size() == 5);
    CHECK(std::memcmp(state.reals.data(), expected.reals.data(), 40) == 0);
    CHECK(state.bytes == expected.bytes);
    CHECK(state.vectors == expected.vectors);
    CHECK(state.vector == expected.vector);
    CHECK(state.text == expected.text);
    CHECK(state.some == expected.some);
    CHECK(!state.none);
    CHECK(state.counts == expected.counts);
    CHECK(state.lines == expected.lines);
    CHECK(state.names == expected.names);
    write(folder / "b.chk", state);
    CHECK(bytes_of(folder / "b.chk") == bytes_of(folder / "a.chk"));
}

TEST_CASE("truncated checkpoints are refused at any length")
{
    const TemporaryFolder folder;
    write(folder / "a.chk");
    const std::string whole = bytes_of(folder / "a.chk");
    for (std::size_t length = 0; length < whole.size(); length += length < 4000 ? 1 : 61) {
        put_bytes(folder / "b.chk", whole.substr(0, length));
        CAPTURE(length);
        CHECK(refusal(folder / "b.chk") != "");
    }
    put_bytes(folder / "b.chk", whole + '\0');
    CHECK(refusal(folder / "b.chk").find("the end of the last block") != std::string::npos);
    CHECK(refusal(folder / "a.chk") == "");
}

TEST_CASE("checkpoints detect any flipped bit")
{
    const TemporaryFolder folder;
    write(folder / "a.chk");
    const std::string whole = bytes_of(folder / "a.chk");
    for (std::size_t byte = 0; byte < whole.size(); byte += byte < 2500 ? 1 : 37) {
        std::string flipped = whole;
        flipped[byte] = char(flipped[byte] ^ 1 << (byte % 8));
        put_bytes(folder / "b.chk", flipped);
        CAPTURE(byte);
        CHECK(refusal(folder / "b.chk") != "");
    }
}

TEST_CASE("a wrong name, type or length is refused by name")
{
    const TemporaryFolder folder;
    const auto message = [&](auto kept, auto wanted) {
        write_checkpoint(folder / "a.chk", kept);
        CheckpointReader archive(folder / "a.chk");
        return error_line([&] { wanted(archive); });
    };
    double real = 1;
    int whole = 9;
    std::vector<double> two{1, 2};
    const auto keep_real = [&](Archive& archive) { archive("x", real); };
    CHECK(message(keep_real, [&](Archive& archive) {
              archive("y", real);
          }).find("y: missing: needed to continue") != std::string::npos);
    CHECK(message(keep_real, [&](Archive& archive) {
              archive("x", whole);
          }).find("x: wrong type: must be the type of this version") != std::string::npos);
    CHECK(message([&](Archive& archive) { archive("x", two); },
                  [&](Archive& archive) { archive("x", real); })
              .find("x: has the wrong length") != std::string::npos);
    Fault fault = Fault::usage;
    CHECK(message([&](Archive& archive) { archive("x", whole); },
                  [&](Archive& archive) { archive("x", fault, Fault::restart); })
              .find("x: 9: unknown") != std::string::npos);
}

TEST_CASE("a failed write keeps the existing checkpoint")
{
    const TemporaryFolder folder;
    write(folder / "a.chk");
    const std::string before = bytes_of(folder / "a.chk");
    CHECK_THROWS_AS(write_checkpoint(folder / "a.chk",
                                     [](Archive& archive) {
                                         if (dynamic_cast<ArchiveSize*>(&archive))
                                             return;
                                         throw Error(Fault::device, "the GPU is gone");
                                     }),
                    Error);
    CHECK(bytes_of(folder / "a.chk") == before);
    CHECK_THROWS_AS(write(folder / "none" / "a.chk"), Error);
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path()))
        ++files;
    CHECK(files == 1);
}

TEST_CASE("records written in parts equal whole records byte for byte")
{
    const TemporaryFolder folder;
    std::vector<Vec3<double>> all(1001);
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = {double(i), -0.5, 1 / double(i + 1)};
    std::string after = "what follows";
    write_checkpoint(folder / "whole", [&](Archive& archive) {
        archive.records("all", all);
        archive("after", after);
    });
    for (const std::size_t max : {std::size_t(1), std::size_t(7), std::size_t(1001)}) {
        std::size_t asked = 0;
        write_checkpoint(folder / "parts", [&](Archive& archive) {
            archive.keep<Vec3<double>>("all", all.size(), max, [&](std::size_t b, std::size_t e) {
                CHECK(e - b <= max);
                asked += e - b;
                return std::span<const Vec3<double>>(all).subspan(b, e - b);
            });
            archive("after", after);
        });
        CHECK(asked == all.size()); // independent of file size
        CHECK(file_bytes(folder / "parts") == file_bytes(folder / "whole"));
    }
    const std::vector<double> four(4);
    const auto fails = [&](Archive& archive) {
        archive.keep<double>("all", 9, 4, [&](std::size_t begin, std::size_t) {
            if (begin > 4)
                throw Error(Fault::device, "no more comes");
            return std::span(four);
        });
    };
    CHECK(error_line([&] { write_checkpoint(folder / "parts", fails); }, Fault::device) ==
          "no more comes");
    CHECK(file_bytes(folder / "parts") == file_bytes(folder / "whole"));
}

TEST_CASE("records can be read in parts; the last part verifies the check sum")
{
    const TemporaryFolder folder;
    std::vector<Vec3<double>> vectors(5000);
    Scatter scatter;
    for (Vec3<double>& v : vectors)
        v = scatter.vector();
    write_checkpoint(folder / "a.chk",
                     [&](Archive& archive) { archive.records("vectors", vectors); });
    const auto parts_of = [](Archive& archive) {
        std::vector<Vec3<double>> all(std::size_t(archive.count_of<Vec3<double>>("vectors")));
        for (std::size_t begin = 0; begin < all.size(); begin += 999)
            archive.part("vectors", begin,
                         std::span(all).subspan(begin, std::min<std::size_t>(999, 5000 - begin)));
        return all;
    };
    CheckpointReader kept(folder / "a.chk");
    CHECK(parts_of(kept) == vectors);
    std::vector<Vec3<double>> beyond(2);
    CHECK(
        contains(error_line([&] { kept.part("vectors", 4999, std::span(beyond)); }, Fault::restart),
                 "vectors: 120000 bytes: must be at least 120024"));
    MemoryArchive memory;
    memory.records("vectors", vectors);
    memory.rewind();
    CHECK(parts_of(memory) == vectors);

    CheckpointReader changed(folder / "a.chk");
    std::fstream file(folder / "a.chk", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(64 + 64 + 3000 * 24);
    file.put(1).flush();
    CHECK(contains(error_line([&] { parts_of(changed); }, Fault::restart),
                   "vectors: check sum: changed while being read"));
}

TEST_SUITE_END();
