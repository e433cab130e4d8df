// GRAPE-5's calls on boards, implemented with pairwise-law solvers.
#include <array>
#include <atomic>

#include "chamomile/interfaces/grape5/board.hpp"
#include "chamomile/interfaces/grape5/gp5util.h"

namespace chamomile {
namespace {

FirstFault first_fault;
std::atomic<double> eps2_of_all{0};
std::atomic<int> potential_sign{1};

/// A BoardTable holds all boards and the force table they use.
class BoardTable {
public:
    std::shared_ptr<Board> board(int devid)
    {
        if (devid < 0 || std::size_t(devid) >= boards_.size())
            throw Error(Fault::usage, "devid: " + std::to_string(devid) + ": must be 0 to " +
                                          std::to_string(boards_.size() - 1));
        const std::lock_guard lock(mutex_);
        std::shared_ptr<Board>& board = boards_[std::size_t(devid)];
        if (!board)
            board = std::make_shared<Board>();
        return board;
    }
    std::shared_ptr<const ForceTable> table()
    {
        const std::lock_guard lock(mutex_);
        if (table_faulty_)
            throw Error(Fault::usage, "force table: an earlier call failed");
        return table_;
    }
    void set_table(std::shared_ptr<const ForceTable> table, bool faulty)
    {
        const std::lock_guard lock(mutex_);
        table_ = std::move(table);
        table_faulty_ = faulty;
    }
    void forgive()
    {
        std::unique_lock lock(mutex_);
        const auto boards = boards_;
        lock.unlock(); // lock order: a board locks itself first, then the table
        for (const auto& board : boards)
            if (board) {
                const std::lock_guard own(board->mutex);
                board->faulty = false;
            }
    }
    void clear()
    {
        const std::lock_guard lock(mutex_);
        for (auto& board : boards_)
            board.reset();
    }

private:
    std::mutex mutex_;
    std::array<std::shared_ptr<Board>, 1024> boards_;
    std::shared_ptr<const ForceTable> table_;
    bool table_faulty_ = false;
};

BoardTable& board_table()
{
    static BoardTable& board_table =
        *new BoardTable; // never destroyed: solvers may still run at exit
    return board_table;
}

/// Runs a call. Returns false if it failed.
template <class Call>
bool succeeds(const char* name, Call call) noexcept
{
    try {
        call();
        return true;
    } catch (const std::exception& error) {
        first_fault.keep(name, error.what());
    } catch (...) {
        first_fault.keep(name, "unknown error");
    }
    return false;
}

/// Loads data into a board. A failure marks the board as faulty.
template <class Call>
void load(const char* name, int devid, Call call) noexcept
{
    succeeds(name, [&] {
        const auto board = board_table().board(devid);
        const std::lock_guard lock(board->mutex);
        if (!succeeds(name, [&] { call(*board); }))
            board->faulty = true;
    });
}

/// Computes on a board, unless loading its data has failed.
template <class Call>
bool compute(const char* name, int devid, Call call) noexcept
{
    return succeeds(name, [&] {
        require_same_process();
        const auto board = board_table().board(devid);
        const std::lock_guard lock(board->mutex);
        if (board->faulty)
            throw Error(Fault::usage, "data: an earlier call that loaded data failed");
        call(*board);
    });
}

/// Computes and stores results. On failure they are NaN.
template <class Call>
void compute_results(const char* name, int devid, int ni, double (*a)[3], double* p,
                     Call call) noexcept
{
    if (compute(name, devid, [&](Board& board) {
            call(board);
            board.results(ni, a, p, potential_sign);
        }))
        return;
    fill_with_nan(a ? &a[0][0] : nullptr, 3 * std::ptrdiff_t(ni));
    fill_with_nan(p, ni);
}

std::vector<double> squared(int ni, const double* eps)
{
    const std::size_t n = checked_count("ni", ni);
    require_pointer("eps", eps, n);
    std::vector<double> eps2(eps, eps + n);
    for (double& e : eps2)
        e = checked_softening("eps", e) * e;
    return eps2;
}

void load_particles(const char* name, int devid, int adr, int nj, double (*xj)[3], double* mj,
                    double* epsj2)
{
    load(name, devid, [&](Board& board) {
        board.load_positions(adr, nj, xj);
        board.load_masses(adr, nj, mj);
        board.load_softenings(adr, nj, epsj2);
    });
}

void make_table(const char* name, const std::function<double(double)>& f, double cut)
{
    if (!succeeds(name, [&] {
            board_table().set_table(std::make_shared<ForceTable>(make_force_table(f, cut)), false);
        }))
        board_table().set_table(nullptr, true);
}

} // namespace
} // namespace chamomile

using namespace chamomile;

extern "C" {

void g5_open(void)
{
    first_fault.clear();
    board_table().set_table(nullptr, false);
    board_table().forgive();
}

void g5_close(void)
{
    board_table().set_table(nullptr, false);
    board_table().clear();
}

int g5_open_special(int, int*)
{
    g5_open();
    return 0;
}

int g5_get_number_of_pipelines(void)
{
    return pipes_of_environment(16384);
}
int g5_get_number_of_pipelines_per_board(void)
{
    return g5_get_number_of_pipelines();
}
int g5_get_jmemsize(void)
{
    return int(Board::max_sources);
}
int g5_get_number_of_real_pipelines(void)
{
    return 1;
}
int g5_get_number_of_boards(void)
{
    return 1;
}
int g5_get_pcibus_freq(void)
{
    return 1;
}
int g5_get_firstcluster(void)
{
    return 0;
}

void g5_set_range(double, double, double) {}
void g5_set_eta(double) {}
void pg5_set_xscale(double) {}

void g5_set_eps2_to_all(double eps2)
{
    if (succeeds(__func__, [&] { checked_softening("eps2", eps2); }))
        eps2_of_all = eps2;
    else
        eps2_of_all = std::numeric_limits<double>::quiet_NaN();
}
void g5_set_eps_to_all(double eps)
{
    if (succeeds(__func__, [&] { checked_softening("eps", eps); }))
        eps2_of_all = eps * eps;
    else
        eps2_of_all = std::numeric_limits<double>::quiet_NaN();
}

void g5_set_nMC(int devid, int nj)
{
    load(__func__, devid, [&](Board& board) { board.use_sources(nj); });
}
void g5_set_xj(int adr, int nj, double (*xj)[3])
{
    load(__func__, 0, [&](Board& board) { board.load_positions(adr, nj, xj); });
}
void g5_set_mj(int adr, int nj, double* mj)
{
    load(__func__, 0, [&](Board& board) { board.load_masses(adr, nj, mj); });
}
void g5_set_xmjMC(int devid, int adr, int nj, double (*xj)[3], double* mj)
{
    load_particles(__func__, devid, adr, nj, xj, mj, nullptr);
}
void chm_g5_set_xmjMC_symmetric(int devid, int adr, int nj, double (*xj)[3], double* mj,
                                double* epsj2)
{
    succeeds(__func__, [&] { require_pointer("epsj2", epsj2, checked_count("nj", nj)); });
    load_particles(__func__, devid, adr, nj, epsj2 ? xj : nullptr, mj, epsj2);
}

void g5_set_xiMC(int devid, int ni, double (*xi)[3])
{
    compute(__func__, devid, [&](Board& board) { board.set_targets(ni, xi, eps2_of_all); });
}
void g5_set_xeiMC(int devid, int ni, double (*xi)[3], double* eps2)
{
    compute(__func__, devid, [&](Board& board) {
        board.set_targets(ni, xi, 0);
        board.set_softenings(ni, eps2);
    });
}
void g5_set_epsMC(int devid, int ni, double* eps)
{
    compute(__func__, devid, [&](Board& board) {
        const std::vector<double> eps2 = squared(ni, eps);
        board.set_softenings(ni, eps2.data());
    });
}
void g5_runMC(int devid)
{
    compute(__func__, devid, [](Board& board) { board.sum_sources(board_table().table()); });
}
void g5_get_forceMC(int devid, int ni, double (*a)[3], double* p)
{
    compute_results(__func__, devid, ni, a, p, [](Board&) {});
}
void g5_calculate_force_on_xMC(int devid, double (*x)[3], double (*a)[3], double* p, int ni)
{
    compute_results(__func__, devid, ni, a, p, [&](Board& board) {
        board.set_targets(ni, x, eps2_of_all);
        board.sum_sources(board_table().table());
    });
}
void g5_calculate_force_on_xeMC(int devid, double (*x)[3], double* eps2, double (*a)[3], double* p,
                                int ni)
{
    compute_results(__func__, devid, ni, a, p, [&](Board& board) {
        board.set_targets(ni, x, 0);
        board.set_softenings(ni, eps2);
        board.sum_sources(board_table().table());
    });
}

void g5c_set_nMC(int devid, int nj)
{
    load(__func__, devid, [&](Board& board) { board.use_cells(nj); });
}
void g5c_set_xmjMC(int devid, int adr, int nj, double (*xj)[3], double* mj, double (*qj)[6])
{
    load(__func__, devid, [&](Board& board) { board.load_cells(adr, nj, xj, mj, qj); });
}
void g5c_runMC(int devid)
{
    compute(__func__, devid, [](Board& board) { board.sum_cells(); });
}
void g5c_calculate_force_on_xMC(int devid, double (*x)[3], double (*a)[3], double* p, int ni)
{
    compute_results(__func__, devid, ni, a, p, [&](Board& board) {
        board.set_targets(ni, x, eps2_of_all);
        board.sum_cells();
    });
}

void pg5_gen_force_table(double (*f)(double), double rcut)
{
    make_table(
        __func__,
        [&](double r) {
            require_pointer("f", reinterpret_cast<const void*>(f), 1);
            return f(r);
        },
        rcut);
}
void pg5_gen_s2_force_table(double sft_PP, double sft_PM)
{
    make_table(
        __func__,
        [&](double r) {
            if (!(sft_PP > 0) || !(sft_PM >= sft_PP))
                throw Error(Fault::usage, "sft_PP: must be above 0 and at most sft_PM");
            return s2_pull(sft_PP, r) - s2_pull(sft_PM, r);
        },
        sft_PM);
}
void g5_set_cutoff_table(double (*)(double), double, double, double (*)(double), double, double)
{
    succeeds(__func__, [] {
        throw Error(Fault::usage, "not supported: use pg5_gen_force_table for a force with a cut");
    });
    board_table().set_table(nullptr, true);
}

const char* g5_get_error(void)
{
    return first_fault.line();
}

void chm_g5_error_text_(char* text, std::size_t length)
{
    const std::string line = first_fault.line();
    std::memset(text, ' ', length);
    std::memcpy(text, line.data(), std::min(length, line.size()));
}

void chm_g5_set_potential_sign(int sign)
{
    if (sign == 1 || sign == -1)
        potential_sign = sign;
    else
        succeeds(__func__, [&] {
            throw Error(Fault::usage, "sign: " + std::to_string(sign) + ": must be 1 or -1");
        });
}

} // extern "C"
