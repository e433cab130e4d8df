// Contraction: none.
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "chamomile/gpu/ranks/device_exchange.cuh"

namespace chamomile {
namespace {

/// Enables direct access of a GPU to another. Returns false if their link does not allow it.
bool allow_access(int to, int from)
{
    static std::mutex lock;
    static std::map<std::pair<int, int>, bool> known;
    const std::scoped_lock held(lock);
    const auto [found, is_new] = known.insert({{to, from}, to == from});
    if (!is_new || to == from)
        return found->second;
    int can = 0;
    if (cudaDeviceCanAccessPeer(&can, to, from) == cudaSuccess && can) {
        const cudaError_t status = cudaDeviceEnablePeerAccess(from, 0);
        found->second = status == cudaSuccess || status == cudaErrorPeerAccessAlreadyEnabled;
    }
    cudaGetLastError(); // clears "already enabled" by other code
    return found->second;
}

} // namespace

void DeviceExchange::start(std::span<const DeviceMessage> to, Communicator& ranks,
                           const Stream& stream)
{
    begin(ranks);
    turn_ ^= 1;
    const bool stages = !is_one_process_ && !nccl_;
    std::size_t room = 0;
    for (const DeviceMessage& message : to)
        room += stages ? message.bytes : 0;
    std::byte* next = leaving_.reserve(room);
    for (const DeviceMessage& message : to) {
        if (!stages) {
            ranks.count_bytes(message.bytes);
            continue;
        }
        download(next, message.data, message.bytes, stream);
        next += message.bytes;
    }
    if (stages)
        stream.wait();
    events().sent.record(stream);
    send_labels(to, stages, ranks);
    wait_for_others(ranks, stream);       // at once: an error may end another rank, and its events
    constexpr std::size_t alignment = 16; // of Source and Multipole
    begins_ = {0};
    for (int r = 0; r < ranks.size(); ++r)
        begins_.push_back(begins_.back() +
                          (label(r).bytes + alignment - 1) / alignment * alignment);
    if (nccl_)
        ranks.run_and_agree([&] { arrived_.reserve(begins_.back()); }); // all ranks fail together
    else
        arrived_.reserve(begins_.back());
    if (nccl_)
        send_by_nccl(to);
    else
        copy(stages, ranks.rank());
}

/// copies_ waits for the data of all ranks. `stream` waits until other ranks have copied this
/// rank's data of the last exchange.
void DeviceExchange::wait_for_others(Communicator& ranks, const Stream& stream)
{
    const auto wait = [](const Stream& waiting, cudaEvent_t event) {
        check(cudaStreamWaitEvent(waiting, event), "wait for data to send");
    };
    for (int r = 0; r < ranks.size() && is_one_process_; ++r) {
        wait(stream, label(r).copied);
        wait(*copies_, label(r).sent);
    }
    events().ready.record(stream);
    wait(*copies_, events().ready);
}

/// Processes wait, since their buffers are used again. If a GPU hangs, ranks that wait for its data
/// may report their own.
void DeviceExchange::finish(const Stream& stream)
{
    events().copied.record(*copies_);
    check(cudaStreamWaitEvent(stream, events().copied), "wait for received data");
    if (nccl_)
        nccl_->wait(*copies_);
    else if (!is_one_process_)
        copies_->wait();
}

/// Finds this rank's device at the first call, and joins NCCL between processes.
void DeviceExchange::begin(Communicator& ranks)
{
    if (device_ >= 0)
        return;
    check(cudaGetDevice(&device_), "read the current device");
    copies_.emplace();
    events_.emplace();
    is_one_process_ = ranks.shares_memory() || ranks.size() == 1;
    if (!is_one_process_)
        nccl_ = NcclLink::join(ranks);
}

bool DeviceExchange::reads_others(Communicator& ranks)
{
    if (reads_others_)
        return *reads_others_;
    begin(ranks);
    const std::vector<int> devices = ranks.all_gather(device_);
    const bool can = ranks.shares_memory() && std::ranges::all_of(devices, [&](int other) {
                         return allow_access(device_, other);
                     });
    const std::vector<char> all = ranks.all_gather(char(can));
    return *(reads_others_ = std::ranges::all_of(all, [](char one) { return one != 0; }));
}

/// Sends the heads, and the data if they are staged through the host.
void DeviceExchange::send_labels(std::span<const DeviceMessage> to, bool stages,
                                 Communicator& ranks)
{
    std::vector<std::vector<std::byte>> messages;
    const std::byte* next = leaving_.data();
    for (const DeviceMessage& message : to) {
        std::vector<std::byte>& packed = messages.emplace_back();
        if (message.head.empty() && message.bytes == 0 && !is_one_process_)
            continue;
        const Label label{message.head.size(), message.bytes, device_,
                          message.data,        events().sent, (*events_)[turn_ ^ 1].copied};
        const auto put = [&](const void* from, std::size_t bytes) {
            const auto* const first = static_cast<const std::byte*>(from);
            packed.insert(packed.end(), first, first + bytes);
        };
        packed.reserve(sizeof label + message.head.size() + (stages ? message.bytes : 0));
        put(&label, sizeof label);
        put(message.head.data(), message.head.size());
        if (!stages)
            continue;
        put(next, message.bytes);
        next += message.bytes;
    }
    ranks.exchange(std::vector<std::span<const std::byte>>(messages.begin(), messages.end()),
                   inbox_);
}

void DeviceExchange::send_by_nccl(std::span<const DeviceMessage> to)
{
    std::vector<std::span<const std::byte>> leaving;
    std::vector<std::span<std::byte>> arriving;
    for (std::size_t r = 0; r < to.size(); ++r) {
        leaving.push_back({to[r].data, to[r].bytes});
        arriving.push_back({arrived_.data() + begins_[r], label(int(r)).bytes});
    }
    nccl_->start(leaving, arriving, *copies_);
}

/// Copies received data, from the sender's GPU or from staged host memory. Each rank begins with
/// the one after it, so that ranks read from different GPUs at a time.
void DeviceExchange::copy(bool was_staged, int me)
{
    const std::size_t ranks = begins_.size() - 1;
    for (std::size_t k = 1; k <= ranks; ++k) {
        const std::size_t r = (std::size_t(me) + k) % ranks;
        const Label from = label(int(r));
        if (from.bytes == 0)
            continue;
        std::byte* const at = arrived_.data() + begins_[r];
        if (was_staged) {
            const std::byte* const here =
                inbox_.from<std::byte>(int(r)).data() + sizeof from + from.head;
            check(cudaMemcpyAsync(at, here, from.bytes, cudaMemcpyHostToDevice, *copies_),
                  "copy data received from other ranks");
        } else {
            allow_access(device_, from.device);
            check(cudaMemcpyAsync(at, from.data, from.bytes, cudaMemcpyDefault, *copies_),
                  "copy from another rank");
        }
    }
}

DeviceExchange::Label DeviceExchange::label(int rank) const
{
    Label label{};
    if (const auto message = inbox_.from<std::byte>(rank); !message.empty())
        std::memcpy(&label, message.data(), sizeof label);
    return label;
}

std::span<const std::byte> DeviceExchange::head(int rank) const
{
    const auto message = inbox_.from<std::byte>(rank);
    return message.empty() ? message : message.subspan(sizeof(Label), label(rank).head);
}

} // namespace chamomile
