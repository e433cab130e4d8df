/// \file  Named ranges of host work, which GPU profilers show next to the kernels.
#pragma once

namespace chamomile {

/// Opens a range on the calling thread, nested in open ranges. gpu/ implements both functions:
/// without CUDA they do nothing, without a profiler next to nothing.
void open_trace_range(const char* name);
void close_trace_range();

/// Keeps a range open during its lifetime.
class TraceRange {
public:
    explicit TraceRange(const char* name) { open_trace_range(name); }
    ~TraceRange() { close_trace_range(); }
    TraceRange(const TraceRange&) = delete;
    TraceRange& operator=(const TraceRange&) = delete;
};

} // namespace chamomile
