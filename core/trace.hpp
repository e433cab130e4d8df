/// \file  Named ranges of host work, which profilers of GPUs show beside the kernels.
#pragma once

namespace chamomile {

/// Opens a range of the calling thread, inside those that are open. gpu/ implements both functions:
/// without CUDA they do nothing, without a profiler next to nothing.
void open_trace_range(const char* name);
void close_trace_range();

/// A TraceRange is open as long as it lives.
class TraceRange {
public:
    explicit TraceRange(const char* name) { open_trace_range(name); }
    ~TraceRange() { close_trace_range(); }
    TraceRange(const TraceRange&) = delete;
    TraceRange& operator=(const TraceRange&) = delete;
};

} // namespace chamomile
