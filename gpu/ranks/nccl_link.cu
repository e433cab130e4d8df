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
        is_there = library_.is_open() && library_.load(unique_id, "ncclGetUniqueId") &&
                   library_.load(init, "ncclCommInitRank") &&
                   library_.load(destroy, "ncclCommDestroy") && library_.load(send, "ncclSend") &&
                   library_.load(receive, "ncclRecv") && library_.load(begin, "ncclGroupStart") &&
                   library_.load(end, "ncclGroupEnd") &&
                   library_.load(error_string, "ncclGetErrorString");
    }

    bool is_there = false;
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

NcclLink* NcclLink::of(Communicator& ranks)
{
    struct Link {
        std::shared_ptr<NcclLink> nccl; // null: none
    };
    std::shared_ptr<void>& link = ranks.link_of_gpus();
    if (!link)
        link = std::make_shared<Link>(make(ranks));
    return static_cast<Link*>(link.get())->nccl.get();
}

std::shared_ptr<NcclLink> NcclLink::make(Communicator& ranks)
{
    struct Card {
        bool has_nccl = false;
        char name[320] = {};
    };
    int device = 0;
    check(cudaGetDevice(&device), "ask for the device");
    Card own{library().is_there};
    gpu_identity(device).copy(own.name, sizeof own.name - 1);
    const std::vector<Card> all = ranks.all_gather(own);
    for (std::size_t r = 0; r < all.size(); ++r) {
        bool can = all[r].has_nccl;
        for (std::size_t q = 0; q < r; ++q)
            can = can && std::strcmp(all[q].name, all[r].name) != 0;
        if (!can)
            return {};
    }
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
    return failed ? nullptr : link;
}

NcclLink::~NcclLink()
{
    library().destroy(communicator_);
}

void NcclLink::exchange(std::span<const std::span<const std::byte>> to,
                        std::span<const std::span<std::byte>> from, cudaStream_t stream)
{
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

} // namespace chamomile
