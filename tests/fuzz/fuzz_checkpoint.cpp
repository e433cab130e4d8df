// Checkpoints. For inputs with an odd number of bytes, fixes the check sums first, like an attacker
// would: the code behind the check must survive, too.
#include <cstring>
#include <vector>

#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "chamomile/io/checkpoint/checkpoint_file.hpp"
#include "tests/fuzz/input.hpp"

namespace {

using namespace chamomile;
using namespace chamomile::checkpoint_layout;

class NoForces final : public Solver {
public:
    ForceStatistics evaluate(const Request&) override { return {}; }
    std::string device() const override { return ""; }
    const SolverOptions& options() const override { return options_; }

private:
    SolverOptions options_;
};

void put_sums_right(std::vector<std::uint8_t>& bytes)
{
    const auto end = bytes.size();
    if (end >= sizeof(Header)) {
        Header header;
        std::memcpy(&header, bytes.data(), sizeof header);
        header.sum = record_sum(header);
        std::memcpy(bytes.data(), &header, sizeof header);
    }
    for (std::size_t at = sizeof(Header);
         end >= sizeof(BlockHead) && at <= end - sizeof(BlockHead);) {
        BlockHead head;
        std::memcpy(&head, bytes.data() + at, sizeof head);
        const std::size_t content = at + sizeof head;
        if (head.bytes <= end - content)
            head.content_sum = check_sum(
                std::as_bytes(std::span(bytes.data() + content, std::size_t(head.bytes))));
        head.sum = record_sum(head);
        std::memcpy(bytes.data() + at, &head, sizeof head);
        if (head.bytes > end - content)
            break;
        at = content + std::size_t(head.bytes);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static tests::InputOfFuzzer input;
    std::vector<std::uint8_t> bytes(data, data + size);
    if (size % 2 == 1) {
        bytes.pop_back();
        put_sums_right(bytes);
    }
    tests::expect_no_more_than_errors([&] {
        CheckpointReader archive(input.path_of(bytes.data(), bytes.size()));
        std::map<std::string, std::string> options;
        if (archive.has("run/options"))
            archive("run/options", options);
        std::vector<std::string> notes;
        if (archive.has("snapshot/notes"))
            archive("snapshot/notes", notes);
        NoForces solver;
        Particles particles;
        Simulation simulation(particles, solver, {.end_time = 1, .step = {.length = 0.1}});
        simulation.at_intervals(0.1, Quantities::acceleration, [](Simulation&) {});
        simulation.exchange(archive);
        if (particles.size() > size)
            std::abort();
    });
    return 0;
}
