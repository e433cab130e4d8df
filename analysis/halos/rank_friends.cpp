#include "chamomile/analysis/halos/rank_friends.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "chamomile/analysis/halos/linking_grid.hpp"
#include "chamomile/core/bounds.hpp"
#include "chamomile/core/counting_sort.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/gpu.hpp"

namespace chamomile {
namespace {

/// Returns the box around the particles of all ranks. Throws on all ranks like
/// friends_of_friends().
Box linkable_box(const RankMatter& matter, const FriendRule& rule, Communicator& ranks)
{
    Box box;
    ranks.run_and_agree([&] {
        require_linkable(matter.position.size(), rule.periodicity, rule.linking_length);
        box = finite_box(matter.position, matter.first);
    });
    box = joined_box(box, ranks);
    ranks.run_and_agree([&] { LinkingGrid({}, box, rule.periodicity, rule.linking_length); });
    return box;
}

/// Returns the GPU that links particles, or -1.
int gpu_of(const RankHaloRequest& request, const Communicator& ranks)
{
    const std::vector<int> gpus = choose_gpus(request.devices);
    return gpus.empty() ? -1 : gpus[std::size_t(ranks.rank_on_host()) % gpus.size()];
}

} // namespace

RankFriends::RankFriends(const RankMatter& matter, const RankHaloRequest& request,
                         Communicator& ranks)
    : request_(request), ranks_(ranks), home_(matter),
      slabs_(matter.position, request.rule.periodicity, linkable_box(matter, request.rule, ranks),
             ranks)
{
    enter_slabs();
}

/// Sends particles in other slabs to their ranks, and lists the particles of this slab.
void RankFriends::enter_slabs()
{
    enum Use : std::size_t { inner, boundary, not_linked, uses };
    const auto use_of = [&](const HaloMatter& matter, std::size_t i) {
        if (!(request_.types >> matter.type[i] & 1))
            return not_linked;
        Use use = inner;
        for_receivers(matter.position[i], [&](int) { use = boundary; });
        return use;
    };
    const std::size_t n = home_.position.size(), size = std::size_t(ranks_.size());
    const SortedIndices home = sorted_by(n, size + uses, [&, here = particles()](std::size_t i) {
        const int owner = slabs_.owner(here.position[i]);
        return owner == ranks_.rank() ? size + use_of(here, i) : std::size_t(owner);
    });
    const std::size_t left = home.begin[size];
    const auto leaving = std::span(home.order).first(left);
    UnsetArray<std::uint64_t> number(left);
#pragma omp parallel for if (left > worth_threads) schedule(static)
    for (std::size_t k = 0; k < left; ++k)
        number[k] = home_.first + leaving[k];
    exchange_columns(std::span(home.begin).first(size + 1), ranks_, memory_,
                     GatherColumn{home_.position, leaving, arrived_.position},
                     GatherColumn{home_.velocity, leaving, arrived_.velocity},
                     GatherColumn{home_.mass, leaving, arrived_.mass},
                     GatherColumn{std::span(number), in_order, arrived_.number},
                     GatherColumn{home_.type, leaving, arrived_.type});
    memory_ = {};
    require_room();
    const SortedIndices arrived =
        sorted_by(arrived_.mass.size(), uses,
                  [&, all = particles()](std::size_t k) { return use_of(all, n + k); });
    in_slab_.resize(n - left + arrived.order.size());
    std::size_t next = 0;
    const auto append = [&](const SortedIndices& sorted, std::size_t key, std::size_t offset) {
        const std::size_t begin = sorted.begin[key], count = sorted.begin[key + 1] - begin;
#pragma omp parallel for if (count > worth_threads) schedule(static)
        for (std::size_t k = 0; k < count; ++k)
            in_slab_[next + k] = Index(offset + sorted.order[begin + k]);
        next += count;
    };
    for (std::size_t use = 0; use < uses; ++use) {
        if (use == boundary)
            boundary_.first = next;
        if (use == not_linked)
            boundary_.end = next;
        append(home, size + use, 0);
        append(arrived, use, n);
    }
}

/// Throws on all ranks if one has more particles than an Index counts.
void RankFriends::require_room() const
{
    ranks_.run_and_agree([&] {
        require_linkable(home_.position.size() + arrived_.number.size(), {},
                         request_.rule.linking_length);
    });
}

HaloMatter RankFriends::particles() const
{
    HaloMatter matter;
    matter.position = {home_.position, arrived_.position};
    matter.velocity = {home_.velocity, arrived_.velocity};
    matter.mass = {home_.mass, arrived_.mass};
    matter.type = {home_.type, arrived_.type};
    matter.velocity_factor = request_.velocity_factor;
    return matter;
}

ParticleGroups RankFriends::find()
{
    const UnsetArray<Vec3<double>> position = exchange_boundary();
    ParticleGroups linked;
    ranks_.run_and_agree([&] { linked = link(position); });
    find_pieces(linked);
    agree_on_labels();
    std::vector<Member> members = shared_members(linked, judged(tallies()));
    receive_members(members);
    return collected(linked, std::move(members));
}

/// Sends particles within a linking length above other slabs to their ranks. Returns the positions
/// of particles to link.
UnsetArray<Vec3<double>> RankFriends::exchange_boundary()
{
    std::vector<int> receivers;
    std::vector<Index> linked;
    const HaloMatter matter = particles();
    for (std::size_t k = boundary_.first; k < boundary_.end; ++k)
        for_receivers(matter.position[in_slab_[k]], [&](int rank) {
            receivers.push_back(rank);
            linked.push_back(Index(k));
        });
    const auto [order, begin] = sorted_by(receivers.size(), std::size_t(ranks_.size()),
                                          [&](std::size_t k) { return receivers[k]; });
    boundary_.begin = begin;
    std::vector<Index> place;
    std::vector<std::uint64_t> number;
    for (const Index k : order) {
        boundary_.sent.push_back(linked[k]);
        place.push_back(in_slab_[linked[k]]);
        number.push_back(number_of(place.back()));
    }
    std::vector<Vec3<double>> received;
    boundary_.from =
        exchange_columns(boundary_.begin, ranks_, memory_,
                         GatherColumn{matter.position, std::span<const Index>(place), received},
                         GatherColumn{std::span(number), in_order, boundary_.number});
    UnsetArray<Vec3<double>> position(boundary_.end + received.size());
#pragma omp parallel for if (boundary_.end > worth_threads) schedule(static)
    for (std::size_t k = 0; k < boundary_.end; ++k)
        position[k] = matter.position[in_slab_[k]];
    std::ranges::copy(received, position.begin() + std::ptrdiff_t(boundary_.end));
    for (std::size_t& from : boundary_.from)
        from += boundary_.end;
    return position;
}

/// Returns the groups with enough members here, or with a particle of the boundary.
ParticleGroups RankFriends::link(std::span<const Vec3<double>> position) const
{
    const FriendRule& rule = request_.rule;
    const int gpu = gpu_of(request_, ranks_);
    if (gpu < 0)
        return friends_of_friends(position, rule.periodicity, rule.linking_length, rule.min_members,
                                  boundary_.first);
    const ParticleGroups all =
        friends_of_friends_on_gpu(gpu, position, {rule.periodicity, rule.linking_length, 1});
    ParticleGroups kept{{0}, {}};
    for (std::size_t g = 0; g < all.size(); ++g)
        if (all[g].size() >= rule.min_members || all[g].back() >= boundary_.first) {
            kept.members.insert(kept.members.end(), all[g].begin(), all[g].end());
            kept.first.push_back(kept.members.size());
        }
    return kept;
}

void RankFriends::find_pieces(const ParticleGroups& linked)
{
    const std::size_t first = boundary_.first, end = boundary_.end;
    boundary_.piece.resize(end - first + boundary_.number.size());
    pieces_.resize(linked.size());
#pragma omp parallel for schedule(dynamic, 16)
    for (std::size_t g = 0; g < linked.size(); ++g) {
        Piece& piece = pieces_[g];
        piece.is_shared = linked[g].back() >= first;
        if (!piece.is_shared)
            continue;
        piece.label = ~std::uint64_t(0);
        for (const Index k : linked[g]) {
            piece.count += k < end;
            piece.label =
                std::min(piece.label, k < end ? number_of(in_slab_[k]) : boundary_.number[k - end]);
            if (k >= first)
                boundary_.piece[k - first] = Index(g);
        }
    }
}

/// Gives the pieces of a group the smallest label of a piece. Each round sends the label of each
/// particle of the boundary both ways.
void RankFriends::agree_on_labels()
{
    const std::size_t size = std::size_t(ranks_.size());
    const auto piece_of = [&](std::size_t linked) -> Piece& {
        return pieces_[boundary_.piece[linked - boundary_.first]];
    };
    Inbox inbox;
    for (std::uint64_t changed = 1; changed > 0;) {
        std::vector<std::uint64_t> labels;
        std::vector<std::size_t> begin{0};
        for (std::size_t r = 0; r < size; ++r) {
            for (std::size_t k = boundary_.begin[r]; k < boundary_.begin[r + 1]; ++k)
                labels.push_back(piece_of(boundary_.sent[k]).label);
            for (std::size_t k = boundary_.from[r]; k < boundary_.from[r + 1]; ++k)
                labels.push_back(piece_of(k).label);
            begin.push_back(labels.size());
        }
        ranks_.all_to_all<std::uint64_t>(runs_of<std::uint64_t>(labels, begin), inbox);
        changed = 0;
        const auto lower = [&](Piece& piece, std::uint64_t label) {
            changed += label < piece.label;
            piece.label = std::min(piece.label, label);
        };
        for (std::size_t r = 0; r < size; ++r) {
            auto label = inbox.from<std::uint64_t>(int(r)).begin();
            for (std::size_t k = boundary_.from[r]; k < boundary_.from[r + 1]; ++k)
                lower(piece_of(k), *label++);
            for (std::size_t k = boundary_.begin[r]; k < boundary_.begin[r + 1]; ++k)
                lower(piece_of(boundary_.sent[k]), *label++);
        }
        ranks_.sum(std::span(&changed, 1));
    }
}

/// Returns the numbers of this rank's members of shared groups, by label.
std::vector<RankFriends::Tally> RankFriends::tallies() const
{
    std::vector<Tally> all, merged;
    for (const Piece& piece : pieces_)
        if (piece.is_shared && piece.count > 0)
            all.push_back({piece.label, piece.count, std::size_t(ranks_.rank())});
    std::ranges::sort(all, {}, &Tally::label);
    for (const Tally& one : all)
        if (!merged.empty() && merged.back().label == one.label)
            merged.back().count += one.count;
        else
            merged.push_back(one);
    return merged;
}

/// Returns the answers to this rank's tallies, by label. One rank judges all tallies of a label.
std::vector<RankFriends::Tally> RankFriends::judged(std::vector<Tally> own)
{
    const std::size_t size = std::size_t(ranks_.size());
    const auto [order, begin] =
        sorted_by(own.size(), size, [&](std::size_t k) { return own[k].label % size; });
    std::vector<Tally> sent;
    for (const Index k : order)
        sent.push_back(own[k]);
    Inbox inbox;
    ranks_.all_to_all<Tally>(runs_of<Tally>(sent, begin), inbox);
    std::vector<std::size_t> first{0};
    for (int r = 0; r < ranks_.size(); ++r)
        first.push_back(first.back() + inbox.from<Tally>(r).size());
    std::vector<Tally> answers(inbox.all<Tally>().begin(), inbox.all<Tally>().end());
    std::vector<Index> by_label(answers.size());
    std::iota(by_label.begin(), by_label.end(), Index(0));
    std::ranges::sort(by_label, {}, [&](Index k) {
        return std::tuple(answers[k].label, ~answers[k].count, answers[k].rank);
    });
    for (std::size_t k = 0, end = 0; k < by_label.size(); k = end) {
        Tally group = answers[by_label[k]]; // most members, or the first of equal ranks
        group.count = 0;
        for (end = k; end < by_label.size() && answers[by_label[end]].label == group.label; ++end)
            group.count += answers[by_label[end]].count;
        for (std::size_t j = k; j < end; ++j)
            answers[by_label[j]] = group;
    }
    ranks_.all_to_all<Tally>(runs_of<Tally>(answers, first), inbox);
    own.assign(inbox.all<Tally>().begin(), inbox.all<Tally>().end());
    std::ranges::sort(own, {}, &Tally::label);
    return own;
}

/// Returns this rank's members of shared groups with enough members.
std::vector<RankFriends::Member> RankFriends::shared_members(const ParticleGroups& linked,
                                                             const std::vector<Tally>& groups) const
{
    std::vector<Member> members;
    for (std::size_t g = 0; g < linked.size(); ++g) {
        const Piece& piece = pieces_[g];
        if (!piece.is_shared || piece.count == 0)
            continue;
        const Tally& group = *std::ranges::lower_bound(groups, piece.label, {}, &Tally::label);
        if (group.count < request_.rule.min_members)
            continue;
        for (const Index k : linked[g])
            if (k < boundary_.end)
                members.push_back({group.rank, piece.label, in_slab_[k]});
    }
    return members;
}

/// Sends members to the ranks of their groups, and replaces them by the members received.
void RankFriends::receive_members(std::vector<Member>& members)
{
    const std::size_t size = std::size_t(ranks_.size()), self = std::size_t(ranks_.rank());
    const auto [order, begin] = sorted_by(members.size(), size + 1, [&](std::size_t k) {
        return members[k].rank == self ? size : members[k].rank;
    });
    std::vector<Member> kept;
    std::vector<Index> place;
    std::vector<std::uint64_t> label, number;
    for (std::size_t k = 0; k < members.size(); ++k) {
        const Member& one = members[order[k]];
        if (k >= begin[size])
            kept.push_back(one);
        else {
            place.push_back(one.place);
            label.push_back(one.label);
            number.push_back(number_of(one.place));
        }
    }
    const HaloMatter matter = particles();
    Arrivals more;
    std::vector<std::uint64_t> labels;
    const auto column = [&](const auto& values, auto& into) {
        return GatherColumn{values, std::span<const Index>(place), into};
    };
    exchange_columns(
        std::span(begin).first(size + 1), ranks_, memory_, column(matter.position, more.position),
        column(matter.velocity, more.velocity), column(matter.mass, more.mass),
        GatherColumn{std::span(number), in_order, more.number},
        GatherColumn{std::span(label), in_order, labels}, column(matter.type, more.type));
    memory_ = {};
    for (std::size_t k = 0; k < labels.size(); ++k)
        kept.push_back({self, labels[k], Index(matter.size() + k)});
    const auto append = [](auto& to, const auto& from) {
        to.reserve(to.size() + from.size()); // not twice the memory
        to.insert(to.end(), from.begin(), from.end());
    };
    append(arrived_.position, more.position);
    append(arrived_.velocity, more.velocity);
    append(arrived_.mass, more.mass);
    append(arrived_.number, more.number);
    append(arrived_.type, more.type);
    require_room();
    members = std::move(kept);
}

/// Returns the groups of this rank, with members by number.
ParticleGroups RankFriends::collected(const ParticleGroups& linked,
                                      std::vector<Member> members) const
{
    ParticleGroups groups{{0}, {}};
    std::vector<std::size_t> own; // groups that no other rank sees
    for (std::size_t g = 0; g < linked.size(); ++g)
        if (!pieces_[g].is_shared) {
            own.push_back(g);
            groups.first.push_back(groups.first.back() + linked[g].size());
        }
    groups.members.resize(groups.first.back());
#pragma omp parallel for schedule(dynamic, 16) if (groups.members.size() > worth_threads)
    for (std::size_t k = 0; k < own.size(); ++k) {
        const auto from = linked[own[k]];
        const auto to = std::span(groups.members).subspan(groups.first[k], from.size());
        std::ranges::transform(from, to.begin(), [&](Index i) { return in_slab_[i]; });
        std::ranges::sort(to, {}, [&](Index i) { return number_of(i); });
    }
    std::ranges::sort(
        members, {}, [&](const Member& one) { return std::pair(one.label, number_of(one.place)); });
    for (std::size_t k = 0; k < members.size(); ++k) {
        groups.members.push_back(members[k].place);
        if (k + 1 == members.size() || members[k + 1].label != members[k].label)
            groups.first.push_back(groups.members.size());
    }
    return groups;
}

} // namespace chamomile
