// Guards of the C interface: one thread per context, no context of another process, no exceptions.
#include "chamomile/interfaces/c/context.hpp"

#include <thread>

#include <unistd.h>

#include "chamomile/core/interruption.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/interfaces/c/views.hpp"

namespace chamomile::c {
namespace {

/// OpenMP threads do not survive fork(), and a thread that started some would wait forever. Calls
/// in a child of a process that has used this library therefore run in new threads.
std::atomic<long> first_process{0};

bool in_forked_child()
{
    const long self = getpid();
    long first = 0;
    return !first_process.compare_exchange_strong(first, self) && first != self;
}

/// Returns a unique number for this thread. System ids may be reused.
std::uint64_t number_of_this_thread()
{
    static std::atomic<std::uint64_t> last{0};
    thread_local const std::uint64_t number = ++last;
    return number;
}

static_assert(std::atomic<bool>::is_always_lock_free,
              "chm_cancel() may be called by a signal handler");

/// A Cancelled is thrown to end a call after chm_cancel().
struct Cancelled {};

Outcome attempt(const chm_context& context, Body body, void* argument)
{
    try {
        const ThreadsInUse threads(context.options.threads);
        const Interruption interruption([&context] {
            if (context.is_cancelled)
                throw Cancelled();
        });
        body(argument);
        return {};
    } catch (const Cancelled&) {
        return {CHM_CANCELLED, "call: ended by chm_cancel()"};
    } catch (const Error& error) {
        return {int(error.fault()),
                spelled(error.line(), spelling_from(context.options.first_number))};
    } catch (const std::bad_alloc&) {
        return {CHM_NUMERIC, "not enough memory"};
    } catch (const std::exception& error) {
        return {CHM_NUMERIC, error.what()};
    }
}

/// A ContextGuard keeps other calls out of a context during its lifetime.
class ContextGuard {
public:
    explicit ContextGuard(chm_context& context)
        : context_(context), by_us_(!context.busy.test_and_set())
    {}
    ~ContextGuard()
    {
        if (by_us_)
            context_.busy.clear();
    }
    ContextGuard(const ContextGuard&) = delete;
    ContextGuard& operator=(const ContextGuard&) = delete;
    bool by_us() const { return by_us_; }

private:
    chm_context& context_;
    bool by_us_;
};

Outcome guarded_run(chm_context& context, Body body, void* argument)
{
    if (!context.is_ours())
        return {CHM_USAGE, "context: created before fork(): must be created in this process"};
    const ContextGuard guard(context);
    if (!guard.by_us())
        return {CHM_USAGE, "context: in use by another thread: must be one per thread"};
    context.is_cancelled = false;
    if (!in_forked_child())
        return attempt(context, body, argument);
    Outcome outcome;
    std::thread([&] { outcome = attempt(context, body, argument); }).join();
    return outcome;
}

} // namespace

void Errors::remember(const char* line) noexcept
{
    try {
        const std::lock_guard lock(mutex_);
        constexpr std::size_t max = 1000;
        lines_[number_of_this_thread()] = line;
        if (lines_.size() > max)
            lines_.erase(lines_.begin()); // of the oldest thread
    } catch (...) {                       // no memory for the message
    }
}

const char* Errors::last() const noexcept
{
    try {
        const std::lock_guard lock(mutex_);
        const auto line = lines_.find(number_of_this_thread());
        return line == lines_.end() ? "" : line->second.c_str();
    } catch (...) {
        return "";
    }
}

int run(chm_context* context, Body body, void* argument) noexcept
{
    if (!context)
        return CHM_USAGE;
    try {
        const Outcome outcome = guarded_run(*context, body, argument);
        if (outcome.status != CHM_OK)
            context->errors.remember(outcome.line.c_str());
        return outcome.status;
    } catch (const std::exception& error) {
        context->errors.remember(error.what());
    } catch (...) {
    }
    return CHM_NUMERIC;
}

std::size_t count_of(const char* what, std::int64_t n)
{
    if (n < 0)
        refuse(std::string(what) + ": " + std::to_string(n) + ": must be 0 or more");
    return std::size_t(n);
}

} // namespace chamomile::c

using namespace chamomile;

chm_context::chm_context() : process_(getpid()) {}

bool chm_context::is_ours() const
{
    return process_ == getpid();
}

void chm_context::set_sources(std::int64_t n, const chm_view& position, const chm_view& mass,
                              const chm_view& velocity)
{
    FieldSources said;
    said.count = c::count_of("sources", n);
    if (said.count >= std::size_t(Index(-1)))
        c::refuse("sources: " + std::to_string(n) + ": must be below 4294967295");
    said.position = c::input("position of the sources", said.count, position, 3);
    said.mass = c::input("mass", said.count, mass, 1);
    said.velocity = c::input("velocity of the sources", said.count, velocity, 3, c::Need::optional);
    sources = said;
    has_sources = true;
}

void chm_context::set_softenings(const chm_view& softening)
{
    if (!has_sources)
        c::refuse("order of calls: call chm_set_sources() first");
    const ArrayView lengths = c::input("softening of the sources", sources.count, softening, 1);
    if (lengths.on_device)
        c::refuse("softening of the sources: must be on the host");
    sources.softening = lengths;
}

FieldSolver& chm_context::built_solver()
{
    if (!is_built)
        c::refuse(has_sources ? "order of calls: call chm_build() first"
                              : "order of calls: call chm_set_sources() and chm_build() first");
    return *solver;
}

void chm_context::build()
{
    is_built = false;
    softened.clear();
    if (has_own_softenings != bool(sources.softening))
        solver.reset();
    has_own_softenings = bool(sources.softening);
    if (!solver) {
        solver =
            make_field_solver(options_for(sources, c::solver_options(options, has_own_softenings)));
    }
    solver->build(sources);
    device = solver->device();
    is_built = true;
}

void chm_context::use_law(double G, double softening)
{
    const SolverOptions& now = options.forces.options;
    if (now.gravitational_constant == G && now.softening.length == softening)
        return;
    c::FieldOptions changed = options;
    c::set_option(changed, "G", number_text(G));
    c::set_option(changed, "softening", number_text(softening));
    options = changed;
    is_built = false;
    solver.reset();
    batch.reset();
}

FieldSolver& chm_context::softened_solver(double softening)
{
    constexpr std::size_t max = 4; // max trees at a time
    if (softening == options.forces.options.softening.length)
        return *solver;
    if (softened.size() >= max && !softened.contains(softening))
        softened.clear();
    auto& other = softened[softening];
    if (!other) {
        SolverOptions changed = solver->options();
        changed.softening.length = softening;
        auto made = make_field_solver(changed);
        made->build(solver->copy_of_sources().sources());
        other = std::move(made);
    }
    return *other;
}

void chm_context::begin_evaluation()
{
    stats = {};
    stats.sources = std::int64_t(solver->size());
}

void chm_context::add(const ForceStatistics& s, double seconds)
{
    stats.targets += std::int64_t(s.targets);
    stats.groups += std::int64_t(s.groups);
    stats.cells = std::int64_t(s.cells);
    stats.particle_particle += std::int64_t(s.particle_particle);
    stats.particle_cell += std::int64_t(s.particle_cell);
    stats.expansions += std::int64_t(s.expansions);
    stats.bytes_to_device += std::int64_t(s.bytes_to_device);
    stats.bytes_from_device += std::int64_t(s.bytes_from_device);
    stats.device_busy += s.device_busy;
    stats.device_wait += s.device_wait;
    stats.seconds += seconds;
}
