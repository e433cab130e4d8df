// Ranks that are mpi4py processes. The transport is written in Python (chamomile/_processes.py), so
// that the package does not link to MPI.
#include "python/processes.hpp"

#include <cmath>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "chamomile/core/number_text.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "python/bindings.hpp"
#include "python/faults.hpp"

namespace chamomile::python {
namespace {

/// Returns a Python memoryview of the bytes, valid as long as they exist.
nb::object memory_of(const std::byte* bytes, std::size_t size, int access)
{
    static char none;
    char* begin = size == 0 ? &none : const_cast<char*>(reinterpret_cast<const char*>(bytes));
    const nb::object view = nb::steal(PyMemoryView_FromMemory(begin, Py_ssize_t(size), access));
    if (!view)
        throw nb::python_error();
    return view;
}

class CarriedRanks final : public Communicator {
public:
    explicit CarriedRanks(nb::object carrier)
        : rank_(nb::cast<int>(carrier.attr("rank"))), size_(nb::cast<int>(carrier.attr("size"))),
          ranks_on_host_(nb::cast<int>(carrier.attr("ranks_on_host"))),
          rank_on_host_(nb::cast<int>(carrier.attr("rank_on_host"))), carrier_(std::move(carrier))
    {}
    ~CarriedRanks() override
    {
        const nb::gil_scoped_acquire held;
        carrier_.reset();
        static std::vector<std::shared_ptr<const std::byte[]>> kept; // memory of late messages
        if (under_way_)
            kept.push_back(under_way_);
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    int ranks_on_host() const override { return ranks_on_host_; }
    int rank_on_host() const override { return rank_on_host_; }
    bool has_failed() const override { return has_failed_; }

    void fail(const Error& error) noexcept override
    {
        if (has_failed_)
            return;
        has_failed_ = true;
        const nb::gil_scoped_acquire held;
        try {
            carrier_.attr("fail")(std::to_string(int(error.fault())) + error.line());
        } catch (const std::exception&) { // the others wait until their timeout
        }
    }

private:
    /// Defers Ctrl-C to look_at_signals() during a transfer, because an exception would count as a
    /// failure of this process. A second Ctrl-C does raise, to end a wait for processes that never
    /// arrive.
    class Holding {
    public:
        explicit Holding(const nb::object& carrier) : carrier_(carrier)
        {
            if (!was_calm("hold"))
                was_calm("hold");
        }
        ~Holding() { was_calm("release"); }
        Holding(const Holding&) = delete;

    private:
        bool was_calm(const char* call) const
        {
            try {
                carrier_.attr(call)();
                return true;
            } catch (const nb::python_error&) { // raised by a signal handler
                remember_interrupt();
                return false;
            }
        }

        const nb::object& carrier_;
    };

    void transfer(std::span<const std::span<const std::byte>> to, Inbox& inbox,
                  Timeout timeout) override
    {
        const nb::gil_scoped_acquire held;
        // After a failure in another object, messages for this rank may be in flight, too.
        has_failed_ = has_failed_ || nb::cast<bool>(carrier_.attr("has_failed"));
        if (has_failed_)
            throw PeerFailed(Fault::device, "comm: a process has failed in an earlier call: take "
                                            "another communicator, such as comm.Dup()");
        try {
            const Holding holding(carrier_);
            carry(to, inbox, timeout);
        } catch (const nb::python_error&) { // such as a second KeyboardInterrupt
            const auto [kind, line] = raised_as(std::current_exception());
            const Error error(Fault::device, line.empty() ? kind : kind + ": " + line);
            fail(error);
            throw PeerFailed(error.fault(), of_rank(rank_, size_, error).line());
        }
    }

    void carry(std::span<const std::span<const std::byte>> to, Inbox& inbox, Timeout timeout)
    {
        const nb::object limit = nb::float_(time_limit());
        nb::list sizes, leaving, arriving;
        for (const auto& bytes : to)
            sizes.append(bytes.size());
        const nb::tuple coming = received(carrier_.attr("tell_sizes")(
            sizes, timeout == Timeout::limited ? limit : nb::object(nb::none())));
        std::vector<std::size_t> size;
        for (const nb::handle one : coming)
            size.push_back(nb::cast<std::size_t>(one));
        std::byte* place = inbox.make_room(size);
        copy_bytes(to[std::size_t(rank_)], place + inbox.begin(rank_));
        for (int r = 0; r < size_; ++r) {
            const std::span<const std::byte> bytes = to[std::size_t(r)];
            leaving.append(memory_of(bytes.data(), r == rank_ ? 0 : bytes.size(), PyBUF_READ));
            arriving.append(memory_of(place + inbox.begin(r), r == rank_ ? 0 : size[std::size_t(r)],
                                      PyBUF_WRITE));
        }
        // After a failure, messages in flight still arrive in this memory, so it is kept.
        under_way_ = inbox.memory();
        received(carrier_.attr("carry")(leaving, arriving, limit));
        under_way_.reset();
    }

    /// Returns the carrier's result. Throws PeerFailed if a process has failed, and Error(device)
    /// if a process is silent. In both cases the carrier returns (text, rank) instead.
    nb::tuple received(nb::object brought)
    {
        const nb::tuple found = nb::cast<nb::tuple>(brought);
        if (found.size() != 2 || !nb::isinstance<nb::str>(found[0]))
            return found;
        const std::string what = nb::cast<std::string>(found[0]);
        const int r = nb::cast<int>(found[1]);
        if (what.empty()) {
            const Error silent =
                r >= 0 ? silent_rank(r, size_, time_limit())
                       : Error(Fault::device, "ranks: one of " + std::to_string(size_) +
                                                  " is silent for " + number_text(time_limit()) +
                                                  " seconds: must answer ({peer-timeout})");
            fail(silent);
            throw silent;
        }
        has_failed_ = true;
        const Error error(Fault(what[0] - '0'), what.substr(1));
        throw PeerFailed(error.fault(), of_rank(r, size_, error).line());
    }

    int rank_, size_, ranks_on_host_, rank_on_host_;
    bool has_failed_ = false;
    nb::object carrier_;
    std::shared_ptr<const std::byte[]> under_way_;
};

} // namespace

Processes::Processes(nb::object carrier, double peer_timeout, bool share_gpu)
    : ranks_(std::make_unique<CarriedRanks>(std::move(carrier))), peer_timeout_(peer_timeout),
      share_gpu_(share_gpu)
{
    if (!(peer_timeout > 0) || !std::isfinite(peer_timeout))
        throw Error(Fault::usage,
                    "peer_timeout: " + number_text(peer_timeout) + ": must be a number > 0");
    ranks_->set_time_limit(peer_timeout);
}

void Processes::join(SolverOptions& options) const
{
    if (share_gpu_ && !options.device.starts_with("gpu"))
        throw Error(Fault::usage, "share_gpu: needs device gpu");
    options.ranks = ranks_.get();
    options.peer_timeout = peer_timeout_;
    options.share_gpu = share_gpu_;
}

void Processes::begin(const std::string& call)
{
    call_ = call;
    has_met_ = false;
}

void Processes::meet(const std::function<std::string()>& work)
{
    std::string alike;
    RaisedAs raised;
    try {
        alike = work();
    } catch (...) {
        raised = raised_as(std::current_exception());
    }
    meet(raised.kind, raised.line, alike);
}

void Processes::refuse(const std::string& kind, const std::string& line)
{
    meet(kind, line, "");
}

void Processes::meet(const std::string& kind, const std::string& line, const std::string& alike)
{
    has_met_ = true;
    const std::string mine = call_ + '\0' + kind + '\0' + line + '\0' + alike;
    Inbox inbox;
    ranks_->exchange(std::vector<std::span<const std::byte>>(std::size_t(ranks_->size()),
                                                             std::as_bytes(std::span(mine))),
                     inbox, Timeout::endless);
    struct RankReport {
        std::string call, kind, line, alike;
    };
    std::vector<RankReport> said;
    for (int r = 0; r < ranks_->size(); ++r) {
        const auto bytes = inbox.from<char>(r);
        std::string rest(bytes.begin(), bytes.end());
        const auto next = [&rest] {
            const std::string word = rest.substr(0, rest.find('\0'));
            rest.erase(0, word.size() + 1);
            return word;
        };
        RankReport& one = said.emplace_back();
        one.call = next();
        one.kind = next();
        one.line = next();
        one.alike = rest;
    }
    const auto differs = [&](int r, const std::string& how) {
        throw of_rank(r, ranks_->size(), Error(Fault::usage, how));
    };
    have_differed_ = false;
    for (const RankReport& one : said)
        have_differed_ = have_differed_ || one.call != said[0].call;
    for (int r = 1; r < ranks_->size(); ++r)
        if (const std::string& call = said[std::size_t(r)].call; call != said[0].call)
            differs(r, call + ": another call than that of rank 0, " + said[0].call);
    for (const RankReport& one : said)
        if (!one.kind.empty())
            raise_as({one.kind, one.line});
    for (int r = 1; r < ranks_->size(); ++r)
        if (said[std::size_t(r)].alike != said[0].alike)
            differs(r, call_ + ": other arguments or options: must be those of rank 0");
}

void bind_processes(nb::module_& m)
{
    m.def(
        "raise_as",
        [](const std::string& kind, const std::string& line) {
            raise_as({kind, line});
        },
        nb::arg("kind"), nb::arg("line"), "Raises an exception of a class of that name.");
    m.def("remember_interrupt", &remember_interrupt, "Keeps Ctrl-C for look_at_signals().");
    m.def("look_at_signals", &look_at_signals, "Has the handlers see what has come.");
    nb::class_<Processes>(m, "Processes", "The processes of a communicator, as ranks.")
        .def(nb::init<nb::object, double, bool>(), nb::arg("carrier"), nb::arg("peer_timeout"),
             nb::arg("share_gpu"))
        .def("begin", &Processes::begin, nb::arg("call"))
        .def("refuse", &Processes::refuse, nb::arg("kind"), nb::arg("line"))
        .def(
            "meet",
            [](Processes& self, const std::string& alike) { self.meet([&] { return alike; }); },
            nb::arg("alike"))
        .def(
            "sum",
            [](Processes& self, std::uint64_t own) {
                self.ranks().sum(std::span(&own, 1));
                return own;
            },
            nb::arg("own"))
        .def_prop_ro("rank", [](Processes& self) { return self.ranks().rank(); })
        .def_prop_ro("have_differed", &Processes::have_differed)
        .def_prop_ro("has_met", &Processes::has_met);
}

} // namespace chamomile::python
