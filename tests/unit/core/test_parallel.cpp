// Ranks: collectives depend on ranks only; a failure ends all ranks with one error; silent ranks.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <mutex>
#include <numeric>
#include <thread>

#include <doctest/doctest.h>

#include "chamomile/core/ranks/thread_ranks.hpp"
#include "tests/unit/error_line.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("parallel");

namespace {

constexpr int rank_counts[] = {1, 2, 3, 4, 7};

std::uint64_t as_bits(double value)
{
    return std::bit_cast<std::uint64_t>(value);
}

/// Returns the error text with which the ranks end.
std::string error_of_ranks(int ranks, const std::function<void(Communicator&)>& body,
                           double time_limit = 600)
{
    return error_line([&] { run_ranks(ranks, body, {.time_limit = time_limit, .held_back = {}}); });
}

std::uint64_t record(int from, int to, std::size_t k)
{
    return std::uint64_t(from) * 1000000 + std::uint64_t(to) * 10000 + k;
}

/// Exchanges records of all sizes, some empty, and checks all received data.
void check_exchange(Communicator& ranks, int round)
{
    const int P = ranks.size(), self = ranks.rank();
    const auto length = [&](int from, int to) {
        return std::size_t((from * 7 + to * 3 + round) % 5) * 101;
    };
    std::vector<std::vector<std::uint64_t>> out;
    for (int r = 0; r < P; ++r) {
        out.emplace_back();
        for (std::size_t k = 0; k < length(self, r); ++k)
            out.back().push_back(record(self, r, k));
    }
    const auto check = [&](int r, std::span<const std::uint64_t> records) {
        if (records.size() != length(r, self))
            throw Error(Fault::numeric, "number of records");
        for (std::size_t k = 0; k < records.size(); ++k)
            if (records[k] != record(r, self, k))
                throw Error(Fault::numeric, "a record");
    };
    Inbox inbox;
    if (round % 2 == 0) {
        ranks.all_to_all<std::uint64_t>(
            std::vector<std::span<const std::uint64_t>>(out.begin(), out.end()), inbox);
        for (int r = 0; r < P; ++r)
            check(r, inbox.from<std::uint64_t>(r));
        return;
    }
    std::vector<std::span<const std::byte>> to;
    for (const std::vector<std::uint64_t>& records : out)
        to.push_back(std::as_bytes(std::span(records)));
    ranks.exchange(to, inbox, [&](Communicator::Messages messages) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5 * self));
        for (int r = 0; r < P; ++r) {
            const std::span<const std::byte> bytes = messages[std::size_t(r)];
            check(r, {reinterpret_cast<const std::uint64_t*>(bytes.data()),
                      bytes.size() / sizeof(std::uint64_t)});
        }
    });
    for (std::vector<std::uint64_t>& records : out)
        std::ranges::fill(records, 0); // every rank has seen them
}

} // namespace

TEST_CASE("every record arrives complete despite delays, and traffic is counted")
{
    for (const int P : rank_counts) {
        CAPTURE(P);
        std::vector<Traffic> traffic(std::size_t(P), Traffic{});
        run_ranks(P,
                  [&](Communicator& ranks) {
                      for (int round = 0; round < 5; ++round)
                          check_exchange(ranks, round);
                      traffic[std::size_t(ranks.rank())] = ranks.traffic();
                  },
                  {.time_limit = 60, .held_back = 17});
        for (int self = 0; self < P; ++self) {
            std::uint64_t bytes = 0, messages = 0;
            for (int round = 0; round < 5; ++round)
                for (int r = 0; r < P; ++r)
                    if (const int n = (self * 7 + r * 3 + round) % 5; r != self && n > 0)
                        ++messages, bytes += std::uint64_t(n) * 101 * 8;
            CHECK(traffic[std::size_t(self)].bytes == bytes);
            CHECK(traffic[std::size_t(self)].messages == messages);
        }
    }
}

TEST_CASE("an error while a rank uses messages ends all ranks with it")
{
    CHECK(error_of_ranks(3, [](Communicator& ranks) {
              const std::vector<std::byte> bytes(1000);
              Inbox inbox;
              ranks.exchange(std::vector<std::span<const std::byte>>(3, bytes), inbox,
                             [&](Communicator::Messages) {
                                 if (ranks.rank() == 1)
                                     throw Error(Fault::input, "no place");
                             });
              ranks.all_gather(1);
          }) == "rank 1 of 3: no place");
}

TEST_CASE("sums and minima over ranks equal a single rank bitwise")
{
    const double nan = std::nan("");
    for (const int P : rank_counts) {
        CAPTURE(P);
        for (const std::size_t n : {0, 1, 5, 100, 10000}) {
            const auto value = [&](int rank, std::size_t k) {
                return k == 3 ? (rank == 0 ? 0. : -0.)
                              : 1.0 / (1 + double(k)) + 1e-3 / (1 + rank) + (rank == 1 ? -1e20 : 0);
            };
            std::vector<double> min;
            ExactSums<double> expected;
            for (std::size_t k = 0; k < n; ++k) {
                double smallest = value(P - 1, k); // -0 is smaller than 0
                for (int r = 0; r < P; ++r) {
                    expected.add(value(r, k));
                    smallest = std::min(smallest, value(r, k));
                }
                min.push_back(smallest);
            }
            std::vector<int> right(std::size_t(P), 0);
            run_ranks(P,
                      [&](Communicator& ranks) {
                          std::vector<double> lowest;
                          std::vector<std::uint64_t> counts;
                          ExactSums<double> sum;
                          for (std::size_t k = 0; k < n; ++k) {
                              lowest.push_back(value(ranks.rank(), k));
                              sum.add(lowest.back());
                              counts.push_back(k + std::uint64_t(ranks.rank()));
                          }
                          ranks.sum(sum);
                          ranks.sum(counts);
                          ranks.min(lowest);
                          double not_a_number[] = {ranks.rank() == P - 1 ? nan : -1};
                          ranks.min(not_a_number);
                          bool is_right =
                              sum.value() == expected.value() &&
                              std::ranges::equal(lowest, min, {}, as_bits, as_bits) &&
                              (P > 1 ? not_a_number[0] == -1 : std::isnan(not_a_number[0]));
                          for (std::size_t k = 0; k < n; ++k)
                              is_right = is_right &&
                                         counts[k] ==
                                             std::uint64_t(P) * k + std::uint64_t(P * (P - 1) / 2);
                          right[std::size_t(ranks.rank())] = is_right;
                      },
                      {.time_limit = 60, .held_back = 3});
            CHECK(std::accumulate(right.begin(), right.end(), 0) == P);
        }
    }
}

TEST_CASE("all_gather() returns data in rank order; broadcast() sends rank 0's data to all")
{
    for (const int P : rank_counts) {
        CAPTURE(P);
        std::vector<int> right(std::size_t(P), 0);
        run_ranks(P, [&](Communicator& ranks) {
            const std::vector<int> mine(std::size_t(ranks.rank()),
                                        ranks.rank()); // nothing from rank 0
            std::vector<int> expected;
            for (int r = 0; r < P; ++r)
                expected.insert(expected.end(), std::size_t(r), r);
            const std::string text = ranks.rank() == 0 ? "from the first" : "";
            const Inbox inbox = ranks.broadcast(std::as_bytes(std::span(text)));
            const auto heard = inbox.from<char>(0);
            right[std::size_t(ranks.rank())] =
                ranks.all_gather(std::span<const int>(mine)) == expected &&
                std::string(heard.begin(), heard.end()) == "from the first";
        });
        CHECK(std::accumulate(right.begin(), right.end(), 0) == P);
    }
}

TEST_CASE("all ranks raise the error of the lowest rank and continue")
{
    for (const int P : rank_counts) {
        CAPTURE(P);
        std::mutex mutex;
        std::vector<std::string> heard;
        run_ranks(P, [&](Communicator& ranks) {
            std::string line;
            try {
                ranks.run_and_agree([&] {
                    if (ranks.rank() >= P / 2)
                        throw Error(Fault::input, "of " + std::to_string(ranks.rank()));
                });
            } catch (const CollectiveError& error) {
                line = std::to_string(int(error.fault())) + error.what();
            }
            check_exchange(ranks, 1);
            const std::lock_guard lock(mutex);
            heard.push_back(line);
        });
        CHECK(heard == std::vector<std::string>(std::size_t(P), "3of " + std::to_string(P / 2)));
    }
}

TEST_CASE("a failing rank ends all ranks with a single error")
{
    for (const int P : {2, 3, 7}) {
        CAPTURE(P);
        for (const int failing : {0, P - 1}) {
            const std::string line = error_of_ranks(P, [&](Communicator& ranks) {
                check_exchange(ranks, 0);
                if (ranks.rank() == failing)
                    throw Error(Fault::input, "a fault");
                check_exchange(ranks, 1);
            });
            CHECK(line == (failing == 0 ? std::string("a fault")
                                        : "rank " + std::to_string(failing) + " of " +
                                              std::to_string(P) + ": a fault"));
        }
    }
}

TEST_CASE("a silent rank ends the other ranks after the time limit")
{
    const double start = double(std::chrono::steady_clock::now().time_since_epoch().count());
    const std::string line = error_of_ranks(
        3,
        [](Communicator& ranks) {
            if (ranks.rank() == 2)
                std::this_thread::sleep_for(std::chrono::seconds(20));
            check_exchange(ranks, 0);
        },
        0.3);
    const double seconds =
        1e-9 * (double(std::chrono::steady_clock::now().time_since_epoch().count()) - start);
    CHECK(line.find("rank 2 of 3: silent for 0.3 seconds") != std::string::npos);
    CHECK(seconds < 10);
}

TEST_CASE("an invalid number of ranks is refused")
{
    CHECK(error_of_ranks(0, [](Communicator&) {}) == "ranks: 0: must be 1 to 1024");
    CHECK(error_of_ranks(1025, [](Communicator&) {}) == "ranks: 1025: must be 1 to 1024");
}

TEST_SUITE_END();
