// Contraction: none.
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "chamomile/force/gpu.hpp"
#include "chamomile/gpu/device/shared_library.hpp"
#include "chamomile/gpu/ranks/nccl_link.cuh"

namespace chamomile {
namespace {

struct UniqueId {
    char text[128];
};

class Library {
public:
    Library()
    {
        is_available =
            library_.is_open() && library_.load(unique_id, "ncclGetUniqueId") &&
            library_.load(init, "ncclCommInitRank") && library_.load(destroy, "ncclCommDestroy") &&
            library_.load(send, "ncclSend") && library_.load(receive, "ncclRecv") &&
            library_.load(begin, "ncclGroupStart") && library_.load(end, "ncclGroupEnd") &&
            library_.load(error_string, "ncclGetErrorString");
    }

    bool is_available = false;
    int (*unique_id)(UniqueId*) = nullptr;
    int (*init)(void**, int, UniqueId, int) = nullptr;
    int (*destroy)(void*) = nullptr;
    int (*send)(const void*, std::size_t, int, int, void*, cudaStream_t) = nullptr;
    int (*receive)(void*, std::size_t, int, int, void*, cudaStream_t) = nullptr;
    int (*begin)() = nullptr;
    int (*end)() = nullptr;
    const char* (*error_string)(int) = nullptr;

private:
    SharedLibrary library_{"libnccl.so.2", "libnccl.so"};
};

const Library& library()
{
    static const Library loaded;
    return loaded;
}

void check_nccl(int status)
{
    if (status != 0)
        throw Error(Fault::device, std::string("GPU: send to other processes: NCCL: ") +
                                       library().error_string(status));
}

constexpr int bytes = 0; // ncclInt8

} // namespace

std::shared_ptr<NcclLink> NcclLink::join(Communicator& ranks)
{
    struct Gpu {
        bool has_nccl = false;
        char name[320] = {};
        bool operator==(const Gpu& other) const
        {
            return has_nccl == other.has_nccl && std::strcmp(name, other.name) == 0;
        }
    };
    struct Link {
        std::vector<Gpu> gpus;
        std::shared_ptr<NcclLink> nccl; // null: no NCCL
    };
    int device = 0;
    check(cudaGetDevice(&device), "read the current device");
    Gpu own{library().is_available};
    gpu_identity(device).copy(own.name, sizeof own.name - 1);
    const std::vector<Gpu> gpus = ranks.all_gather(own);
    auto link = std::static_pointer_cast<Link>(ranks.link_of_gpus());
    if (link && link->gpus == gpus)
        return link->nccl;
    bool can = true;
    for (std::size_t r = 0; r < gpus.size(); ++r) {
        can = can && gpus[r].has_nccl;
        for (std::size_t q = 0; q < r; ++q)
            can = can && !(gpus[q] == gpus[r]);
    }
    link = std::make_shared<Link>(gpus, can ? make(ranks) : nullptr);
    ranks.link_of_gpus() = link;
    return link->nccl;
}

std::shared_ptr<NcclLink> NcclLink::make(Communicator& ranks)
{
    struct Begin {
        int status = 0;
        UniqueId id = {};
    };
    Begin begin;
    if (ranks.rank() == 0)
        begin.status = library().unique_id(&begin.id);
    const Inbox sent = ranks.broadcast(ranks.rank() == 0 ? std::as_bytes(std::span(&begin, 1))
                                                         : std::span<const std::byte>());
    std::memcpy(&begin, sent.from<std::byte>(0).data(), sizeof begin);
    if (begin.status != 0)
        return {};
    void* communicator = nullptr;
    std::uint64_t failed = library().init(&communicator, ranks.size(), begin.id, ranks.rank()) != 0;
    std::shared_ptr<NcclLink> link(failed ? nullptr : new NcclLink(communicator));
    ranks.sum(std::span(&failed, 1));
    if (failed)
        return {};
    link->is_idle_ = true;
    return link;
}

/// After a failure the communicator stays open: destroying it would wait for other processes.
NcclLink::~NcclLink()
{
    if (is_idle_ && !device_hangs())
        library().destroy(communicator_);
}

void NcclLink::start(std::span<const std::span<const std::byte>> to,
                     std::span<const std::span<std::byte>> from, const Stream& stream)
{
    is_idle_ = false;
    check_nccl(library().begin());
    int status = 0;
    for (std::size_t r = 0; r < to.size(); ++r) {
        if (!to[r].empty() && status == 0)
            status =
                library().send(to[r].data(), to[r].size(), bytes, int(r), communicator_, stream);
        if (!from[r].empty() && status == 0)
            status = library().receive(from[r].data(), from[r].size(), bytes, int(r), communicator_,
                                       stream);
    }
    const int ended = library().end();
    check_nccl(status != 0 ? status : ended);
}

void NcclLink::wait(const Stream& stream)
{
    stream.wait();
    is_idle_ = true;
}

} // namespace chamomile
