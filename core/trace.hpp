/// \file  Named ranges of host work, as the profilers of GPUs show them beside the kernels.
#pragma once

namespace chamomile {

/// Opens a range of the calling thread, within those that are open. gpu/ implements both: in a
/// build without CUDA nothing happens, without a profiler next to nothing.
void open_trace_range(const char* name);
void close_trace_range();

/// A range as long as its own life.
class TraceRange {
public:
    explicit TraceRange(const char* name) { open_trace_range(name); }
    ~TraceRange() { close_trace_range(); }
    TraceRange(const TraceRange&) = delete;
    TraceRange& operator=(const TraceRange&) = delete;
};

} // namespace chamomile
