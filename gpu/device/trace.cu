// NVTX ranges in the domain "chamomile". The header looks for a profiler and needs no library.
// Contraction: fused.
#include <nvtx3/nvToolsExt.h>

#include "chamomile/core/trace.hpp"

namespace chamomile {
namespace {

nvtxDomainHandle_t domain()
{
    static const nvtxDomainHandle_t handle = nvtxDomainCreateA("chamomile");
    return handle;
}

} // namespace

void open_trace_range(const char* name)
{
    nvtxEventAttributes_t attributes = {};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    nvtxDomainRangePushEx(domain(), &attributes);
}

void close_trace_range()
{
    nvtxDomainRangePop(domain());
}

} // namespace chamomile
