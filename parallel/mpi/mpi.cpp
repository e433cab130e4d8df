// The only file that sends messages by MPI. Each wait polls its requests, to end when a remote rank
// fails or stays silent. Requests then remain under way, and their receive buffers are kept.
#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>
#include <utility>

#include "chamomile/core/number_text.hpp"
#include "chamomile/core/profile.hpp"
#include "chamomile/parallel/mpi/mpi_communicator.hpp"
#include "chamomile/parallel/mpi/mpi_ranks.hpp"

namespace chamomile {
namespace {

constexpr int data_tag = 1, failure_tag = 2;
constexpr std::size_t max_bytes = std::size_t(1) << 28; // of one message

/// Pauses between polls. Yields at first, since bytes move only inside MPI calls; sleeps when a
/// wait becomes long.
class Pause {
public:
    void rest()
    {
        if (wall_clock_seconds() - start_ < 0.5)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(std::chrono::microseconds(std::min(++rests_, 1000)));
    }

private:
    double start_ = wall_clock_seconds();
    int rests_ = 0;
};

class MpiWorld final : public MpiRanks {
public:
    /// Starts MPI and uses MPI_COMM_WORLD. The destructor ends MPI.
    MpiWorld() : comm_(MPI_COMM_WORLD), owns_mpi_(true)
    {
        int provided = 0;
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
        find_ranks();
    }

    /// Uses a copy of the communicator, freed with this unless a rank fails.
    explicit MpiWorld(MPI_Comm of)
    {
        int has_begun = 0, has_ended = 0;
        MPI_Initialized(&has_begun);
        MPI_Finalized(&has_ended);
        if (!has_begun || has_ended)
            throw Error(Fault::usage, "MPI: is not there: MPI_Init() comes before");
        int is_between_groups = 0;
        if (of != MPI_COMM_NULL)
            MPI_Comm_test_inter(of, &is_between_groups);
        if (of == MPI_COMM_NULL || is_between_groups)
            throw Error(Fault::usage,
                        std::string("communicator: ") +
                            (is_between_groups ? "an intercommunicator" : "MPI_COMM_NULL") +
                            ": must be one of processes of one group");
        MPI_Comm_dup(of, &comm_);
        find_ranks();
    }

    ~MpiWorld() override
    {
        if (has_failed_) // messages are under way
            return;
        if (owns_mpi_)
            MPI_Finalize();
        else
            MPI_Comm_free(&comm_);
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    int ranks_on_host() const override { return ranks_on_host_; }
    int rank_on_host() const override { return rank_on_host_; }
    bool has_failed() const override { return has_failed_; }

    [[noreturn]] void abort(int status) override
    {
        std::fflush(nullptr);
        MPI_Abort(comm_, status);
        std::_Exit(status);
    }

    void fail(const Error& error) noexcept override
    {
        if (has_failed_)
            return;
        has_failed_ = true;
        failure_ = std::string(1, char('0' + int(error.fault()))) + error.line();
        // MPI keeps the requests: this rank never waits for them.
        for (int r = 0; r < size_; ++r) {
            MPI_Request request;
            if (r != rank_)
                MPI_Isend(failure_.data(), int(failure_.size()), MPI_BYTE, r, failure_tag, comm_,
                          &request);
        }
        for (int k = 0; k < 100; ++k) { // messages leave only while MPI is called
            int there = 0;
            MPI_Iprobe(MPI_ANY_SOURCE, failure_tag, comm_, &there, MPI_STATUS_IGNORE);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

private:
    void find_ranks()
    {
        MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);
        MPI_Comm_rank(comm_, &rank_);
        MPI_Comm_size(comm_, &size_);
        MPI_Comm host;
        MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host);
        MPI_Comm_size(host, &ranks_on_host_);
        MPI_Comm_rank(host, &rank_on_host_);
        MPI_Comm_free(&host);
    }

    void transfer(std::span<const std::span<const std::byte>> to, Inbox& inbox,
                  Timeout timeout) override
    {
        throw_after_failure();
        sizes_.clear();
        for (const auto& bytes : to)
            sizes_.push_back(bytes.size());
        coming_.resize(to.size());
        std::vector<MPI_Request> requests(1);
        static_assert(sizeof(std::size_t) == sizeof(std::uint64_t));
        MPI_Ialltoall(sizes_.data(), 1, MPI_UINT64_T, coming_.data(), 1, MPI_UINT64_T, comm_,
                      requests.data());
        wait(requests, {}, timeout);

        std::byte* place = inbox.make_room(coming_);
        under_way_ = inbox.memory();
        copy_bytes(to[std::size_t(rank_)], place + inbox.begin(rank_));
        std::vector<int> peer;
        requests.clear();
        const auto each_piece = [&](int r, std::size_t size, const auto& post) {
            for (std::size_t begin = 0; r != rank_ && begin < size; begin += max_bytes) {
                requests.emplace_back();
                peer.push_back(r);
                post(begin, int(std::min(max_bytes, size - begin)));
            }
        };
        for (int r = 0; r < size_; ++r)
            each_piece(r, coming_[std::size_t(r)], [&](std::size_t begin, int size) {
                MPI_Irecv(place + inbox.begin(r) + begin, size, MPI_BYTE, r, data_tag, comm_,
                          &requests.back());
            });
        for (int r = 0; r < size_; ++r)
            each_piece(r, to[std::size_t(r)].size(), [&](std::size_t begin, int size) {
                MPI_Isend(to[std::size_t(r)].data() + begin, size, MPI_BYTE, r, data_tag, comm_,
                          &requests.back());
            });
        wait(requests, peer, Timeout::limited);
        under_way_.reset();
    }

    void transfer_to_all(std::span<const std::byte> mine, Sizes sizes, Inbox& inbox,
                         Timeout timeout) override
    {
        throw_after_failure();
        sizes_.assign(1, mine.size());
        coming_.assign(std::size_t(size_), mine.size());
        std::vector<MPI_Request> requests(1);
        if (sizes == Sizes::any) {
            MPI_Iallgather(sizes_.data(), 1, MPI_UINT64_T, coming_.data(), 1, MPI_UINT64_T, comm_,
                           requests.data());
            wait(requests, {}, std::exchange(timeout, Timeout::limited));
        }
        const std::size_t all = std::accumulate(coming_.begin(), coming_.end(), std::size_t(0));
        if (all == 0) {
            inbox.make_room(coming_);
            return;
        }
        if (all > max_bytes) // MPI counts bytes in int
            return transfer(std::vector<std::span<const std::byte>>(std::size_t(size_), mine),
                            inbox, timeout);
        std::byte* const place = inbox.make_room(coming_);
        under_way_ = inbox.memory();
        counts_.clear();
        begins_.clear();
        for (int r = 0; r < size_; ++r) {
            counts_.push_back(int(coming_[std::size_t(r)]));
            begins_.push_back(int(inbox.begin(r)));
        }
        MPI_Iallgatherv(mine.data(), int(mine.size()), MPI_BYTE, place, counts_.data(),
                        begins_.data(), MPI_BYTE, comm_, requests.data());
        wait(requests, {}, timeout);
        under_way_.reset();
    }

    void transfer_from_first(std::span<const std::byte> bytes, Inbox& inbox,
                             Timeout timeout) override
    {
        throw_after_failure();
        sizes_.assign(1, bytes.size());
        std::vector<MPI_Request> requests(1);
        MPI_Ibcast(sizes_.data(), 1, MPI_UINT64_T, 0, comm_, requests.data());
        wait(requests, {}, timeout);
        coming_.assign(std::size_t(size_), 0);
        coming_[0] = sizes_[0];
        std::byte* const place = inbox.make_room(coming_);
        under_way_ = inbox.memory();
        if (rank_ == 0)
            copy_bytes(bytes, place);
        requests.clear();
        for (std::size_t begin = 0; begin < sizes_[0]; begin += max_bytes)
            MPI_Ibcast(place + begin, int(std::min(max_bytes, sizes_[0] - begin)), MPI_BYTE, 0,
                       comm_, &requests.emplace_back());
        wait(requests, {}, Timeout::limited);
        under_way_.reset();
    }

    void transfer_reduced(std::span<std::uint64_t> values, Reduction reduction) override
    {
        throw_after_failure();
        reduced_.assign(values.begin(), values.end());
        std::vector<MPI_Request> requests(1);
        MPI_Iallreduce(MPI_IN_PLACE, reduced_.data(), int(reduced_.size()), MPI_UINT64_T,
                       reduction == Reduction::sum ? MPI_SUM : MPI_MIN, comm_, requests.data());
        wait(requests, {}, Timeout::limited);
        std::ranges::copy(reduced_, values.begin());
    }

    void throw_after_failure() const
    {
        if (has_failed_)
            throw PeerFailed(Fault::device, "ranks: one has failed");
    }

    /// Waits for all requests. peer[k]: the only rank that can delay request k; empty: unknown.
    void wait(std::vector<MPI_Request>& requests, const std::vector<int>& peer, Timeout timeout)
    {
        const double start = wall_clock_seconds();
        for (Pause pause;; pause.rest()) {
            int done = 0;
            MPI_Testall(int(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
            if (done)
                return;
            throw_if_failed();
            if (timeout == Timeout::limited && wall_clock_seconds() - start > time_limit()) {
                const Error silent = silent_of(requests, peer);
                fail(silent); // while this rank's send buffers still exist
                throw silent;
            }
        }
    }

    Error silent_of(const std::vector<MPI_Request>& requests, const std::vector<int>& peer) const
    {
        for (std::size_t k = 0; k < peer.size(); ++k)
            if (requests[k] != MPI_REQUEST_NULL)
                return silent_rank(peer[k], size_, time_limit());
        return Error(Fault::device, "ranks: one of " + std::to_string(size_) + " is silent for " +
                                        number_text(time_limit()) +
                                        " seconds: must answer ({peer-timeout})");
    }

    void throw_if_failed()
    {
        int there = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, failure_tag, comm_, &there, &status);
        if (!there)
            return;
        int length = 0;
        MPI_Get_count(&status, MPI_BYTE, &length);
        std::string text(std::size_t(length), ' ');
        MPI_Recv(text.data(), length, MPI_BYTE, status.MPI_SOURCE, failure_tag, comm_,
                 MPI_STATUS_IGNORE);
        has_failed_ = true;
        const Error error(Fault(text[0] - '0'), text.substr(1));
        throw PeerFailed(error.fault(), of_rank(status.MPI_SOURCE, size_, error).line());
    }

    MPI_Comm comm_ = MPI_COMM_NULL;
    bool owns_mpi_ = false;
    int rank_ = 0, size_ = 1, ranks_on_host_ = 1, rank_on_host_ = 0;
    bool has_failed_ = false;
    std::string failure_;
    // For the transfer under way. After a failure, late messages arrive here.
    std::vector<std::size_t> sizes_, coming_;
    std::vector<int> counts_, begins_;
    std::vector<std::uint64_t> reduced_;
    std::shared_ptr<const std::byte[]> under_way_;
};

} // namespace

std::unique_ptr<MpiRanks> make_mpi_ranks()
{
    return std::make_unique<MpiWorld>();
}

std::unique_ptr<Communicator> make_mpi_communicator(MPI_Comm communicator)
{
    return std::make_unique<MpiWorld>(communicator);
}

std::string mpi_library()
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length); // allowed before MPI_Init()
    std::string library(text, std::size_t(length));
    library.resize(std::min(library.find_first_of(",\n"), library.size()));
    std::ranges::replace(library, '\t', ' ');
    return library;
}

} // namespace chamomile
