// GRAPE-6's calls on clusters, implemented with pairwise-law solvers.
#include <atomic>
#include <cstdio>
#include <map>

#include "chamomile/interfaces/grape6/cluster.hpp"
#include "chamomile/interfaces/grape6/gp6util.h"

namespace chamomile {
namespace {

FirstFault first_fault;
std::atomic<int> sort_mode{0};

/// A ClusterTable holds the open clusters.
class ClusterTable {
public:
    void open(int cl)
    {
        if (cl < 0)
            throw Error(Fault::usage, "cl: " + std::to_string(cl) + ": must be 0 or more");
        const std::lock_guard lock(mutex_);
        clusters_[cl] = std::make_shared<Cluster>();
    }
    void close(int cl)
    {
        const std::lock_guard lock(mutex_);
        if (clusters_.erase(cl) == 0)
            throw Error(Fault::usage, not_open(cl));
    }
    std::shared_ptr<Cluster> cluster(int cl)
    {
        const std::lock_guard lock(mutex_);
        const auto found = clusters_.find(cl);
        if (found == clusters_.end())
            throw NeverMade(not_open(cl));
        return found->second;
    }

private:
    std::string not_open(int cl) const
    {
        std::string open;
        for (const auto& [number, cluster] : clusters_)
            open += (open.empty() ? "; open: " : ", ") + std::to_string(number);
        return "cl: " + std::to_string(cl) + ": not open: call g6_open first" + open;
    }

    std::mutex mutex_;
    std::map<int, std::shared_ptr<Cluster>> clusters_;
};

ClusterTable& cluster_table()
{
    static ClusterTable& cluster_table =
        *new ClusterTable; // never destroyed: solvers may still run at exit
    return cluster_table;
}

/// Writes one line to standard error, only once per process.
void warn_once(const char* call, const char* line)
{
    static std::atomic_flag warned = ATOMIC_FLAG_INIT;
    if (!warned.test_and_set())
        std::fprintf(stderr, "chamomile: %s: %s: results are NaN\n", call, line);
}

/// Runs a call. Returns 0, or -1 if it failed.
template <class Call>
int guarded(const char* name, Call call) noexcept
{
    try {
        call();
        return 0;
    } catch (const NeverMade& error) {
        first_fault.keep(name, error.what());
        warn_once(name, error.what());
    } catch (const std::exception& error) {
        first_fault.keep(name, error.what());
    } catch (...) {
        first_fault.keep(name, "unknown error");
    }
    return -1;
}

/// Runs a loading call on a cluster. A failure marks the cluster as faulty.
template <class Call>
int load(const char* name, int cl, Call call) noexcept
{
    int status = 0;
    const int found = guarded(name, [&] {
        const auto cluster = cluster_table().cluster(cl);
        const std::lock_guard lock(cluster->mutex);
        status = guarded(name, [&] { call(*cluster); });
        if (status != 0)
            cluster->faulty = true;
    });
    return found != 0 ? found : status;
}

template <class Call>
int compute(const char* name, int cl, Call call) noexcept
{
    return guarded(name, [&] {
        require_same_process();
        const auto cluster = cluster_table().cluster(cl);
        const std::lock_guard lock(cluster->mutex);
        if (cluster->faulty) {
            cluster->forget_results();
            throw Error(Fault::usage, "data: an earlier call that loaded data failed");
        }
        call(*cluster);
    });
}

int sum(const char* name, int cl, int nj, int ni, const IParticles& targets,
        const ForceResults& results) noexcept
{
    const int status = compute(name, cl, [&](Cluster& cluster) {
        IParticles counted = targets;
        cluster.forget_results();
        counted.count = checked_count("ni", ni);
        cluster.sum(nj, counted, results);
    });
    if (status != 0) {
        if (results.acceleration)
            fill_with_nan(&results.acceleration[0][0], 3 * std::ptrdiff_t(ni));
        if (results.jerk)
            fill_with_nan(&results.jerk[0][0], 3 * std::ptrdiff_t(ni));
        fill_with_nan(results.potential, ni);
        if (results.nearest && ni > 0)
            std::fill_n(results.nearest, ni, -1);
        if (results.distance && ni > 0)
            std::fill_n(results.distance, ni, std::numeric_limits<float>::quiet_NaN());
    }
    return status;
}

} // namespace
} // namespace chamomile

using namespace chamomile;

extern "C" {

int g6_open(int cl)
{
    first_fault.clear();
    return guarded(__func__, [&] { cluster_table().open(cl); });
}

int g6_close(int cl)
{
    return guarded(__func__, [&] { cluster_table().close(cl); });
}

int g6_npipes(void)
{
    return pipes_of_environment(48);
}

int g6_set_ti(int cl, double ti)
{
    return load(__func__, cl, [&](Cluster& cluster) { cluster.set_time(ti); });
}

int g6_set_j_particle(int cl, int address, int index, double tj, double, double mass,
                      double a2by18[3], double a1by6[3], double aby2[3], double v[3], double x[3])
{
    return load(__func__, cl, [&](Cluster& cluster) {
        require_pointer("a2by18", a2by18, 1);
        require_pointer("a1by6", a1by6, 1);
        require_pointer("aby2", aby2, 1);
        require_pointer("v", v, 1);
        require_pointer("x", x, 1);
        const auto vector = [](const double* of) { return Vec3<double>{of[0], of[1], of[2]}; };
        cluster.load(address, {index, true, tj, mass, vector(x), vector(v), vector(aby2),
                               vector(a1by6), vector(a2by18)});
    });
}

int g6_set_j_particle_multisend_mxfast_(int* cl, int*, int* address, int* index, double* mass,
                                        double x[3])
{
    double zero[3] = {0, 0, 0};
    if (!cl || !address || !index || !mass)
        return guarded(__func__, [] { throw Error(Fault::usage, "pointer: must not be null"); });
    return g6_set_j_particle(*cl, *address, *index, 0, 0, *mass, zero, zero, zero, zero, x);
}

void g6calc_firsthalf(int cl, int nj, int, int[], double[][3], double[][3], double[][3],
                      double[][3], double[], double, double[])
{
    compute(__func__, cl, [&](Cluster& cluster) {
        cluster.forget_results();
        cluster.predict(nj);
    });
}

int g6calc_lasthalf2p(int cl, int nj, int ni, int index[], double xi[][3], double vi[][3],
                      double eps2, double h2[], double acc[][3], double jerk[][3], double pot[],
                      int nnb[], float rnnb[])
{
    return sum(__func__, cl, nj, ni, {0, index, xi, vi, eps2, h2}, {acc, jerk, pot, nnb, rnnb});
}

int g6_read_neighbour_list(int cl)
{
    return compute(__func__, cl, [](Cluster& cluster) { cluster.find_neighbours(); });
}

int g6_get_neighbour_list(int cl, int ipipe, int maxlength, int* n, int list[])
{
    bool longer = false;
    if (n)
        *n = 0;
    const int status = compute(__func__, cl, [&](Cluster& cluster) {
        const std::size_t max = checked_count("maxlength", maxlength);
        require_pointer("n", n, 1);
        require_pointer("list", list, max);
        const std::vector<int>& found = cluster.neighbours(ipipe);
        longer = found.size() > max;
        *n = int(std::min(found.size(), max));
        std::copy_n(found.begin(), *n, list);
    });
    return status != 0 ? status : int(longer);
}

int g6_set_neighbour_list_sort_mode(int mode)
{
    sort_mode = mode;
    return 0;
}

int g6_get_neighbour_list_sort_mode(void)
{
    return sort_mode;
}

const char* chm_g6_get_error(void)
{
    return first_fault.line();
}

void chm_g6_error_text_(char* text, std::size_t length)
{
    const std::string line = first_fault.line();
    std::memset(text, ' ', length);
    std::memcpy(text, line.data(), std::min(length, line.size()));
}

} // extern "C"
