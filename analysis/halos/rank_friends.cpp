#include "chamomile/analysis/halos/rank_friends.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include <omp.h>

#include "chamomile/analysis/halos/linking_grid.hpp"
#include "chamomile/core/bounds.hpp"
#include "chamomile/core/filter_indices.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/gpu.hpp"

namespace chamomile {
namespace {

/// Returns the box around the particles of all ranks. Throws on all ranks like
/// friends_of_friends().
Box linkable_box(const RankMatter& matter, const FriendRule& rule, Communicator& ranks)
{
    std::uint64_t count = matter.position.size();
    ranks.sum(std::span(&count, 1));
    Box box;
    ranks.run_and_agree([&] {
        require_linkable(count, rule.periodicity, rule.linking_length);
        box = finite_box(matter.position, matter.first);
    });
    box = joined_box(box, ranks);
    ranks.run_and_agree([&] { LinkingGrid({}, box, rule.periodicity, rule.linking_length); });
    return box;
}

/// Sorts indices 0 to ranks.size() - 1 by rank. Returns them with the first one per rank, and the
/// end.
std::pair<UnsetArray<Index>, std::vector<std::size_t>> sorted_by_rank(std::span<const int> ranks,
                                                                      int size)
{
    const std::size_t n = ranks.size(),
                      parts = n < worth_threads ? 1 : std::size_t(omp_get_max_threads());
    std::vector<std::vector<std::size_t>> next(parts, std::vector<std::size_t>(std::size_t(size)));
    const auto for_each = [&](const auto& visit) {
#pragma omp parallel for num_threads(int(parts)) schedule(static, 1)
        for (std::size_t part = 0; part < parts; ++part) {
            std::vector<std::size_t> own = next[part]; // in no other thread's cache line
            for (std::size_t i = n * part / parts; i < n * (part + 1) / parts; ++i)
                visit(i, own[std::size_t(ranks[i])]);
            next[part] = own;
        }
    };
    for_each([](std::size_t, std::size_t& count) { ++count; });
    std::vector<std::size_t> begin;
    std::size_t sum = 0;
    for (std::size_t r = 0; r < std::size_t(size); ++r) {
        begin.push_back(sum);
        for (std::vector<std::size_t>& part : next)
            sum += std::exchange(part[r], sum);
    }
    begin.push_back(sum);
    UnsetArray<Index> order(n);
    for_each([&](std::size_t i, std::size_t& place) { order[place++] = Index(i); });
    return {std::move(order), std::move(begin)};
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
    : request_(request), ranks_(ranks), slabs_(matter.position, request.rule.periodicity,
                                               linkable_box(matter, request.rule, ranks), ranks)
{
    move_to_slabs(matter);
}

void RankFriends::move_to_slabs(const RankMatter& matter)
{
    const std::size_t n = matter.position.size();
    UnsetArray<int> owner(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t i = 0; i < n; ++i)
        owner[i] = slabs_.owner(matter.position[i]);
    const auto [order, begin] = sorted_by_rank(owner, ranks_.size());
    UnsetArray<std::uint64_t> number(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t i = 0; i < n; ++i)
        number[i] = matter.first + i;
    const std::size_t room = n + n / 8; // also for members that arrive from other slabs
    const auto make_room = [room](auto&... columns) {
        (columns.reserve(room), ...);
        (populate(columns.data(), room * sizeof columns[0]), ...);
    };
    make_room(own_.position, own_.velocity, own_.mass, own_.id, own_.type);
    exchange_columns(
        begin, ranks_, memory_, GatherColumn{matter.position, std::span(order), own_.position},
        GatherColumn{matter.velocity, std::span(order), own_.velocity},
        GatherColumn{matter.mass, std::span(order), own_.mass},
        GatherColumn{std::span<const std::uint64_t>(number), std::span(order), own_.id},
        GatherColumn{matter.type, std::span(order), own_.type});
    if (matter.release)
        matter.release();
    in_slab_ = own_.size();
    if (request_.velocity_factor != 1)
#pragma omp parallel for if (in_slab_ > worth_threads) schedule(static)
        for (std::size_t i = 0; i < in_slab_; ++i)
            own_.velocity[i] = request_.velocity_factor * own_.velocity[i];
    memory_ = {};
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

/// Chooses the particles to link. Sends those within a linking length above other slabs to their
/// ranks. Returns the positions of particles to link.
UnsetArray<Vec3<double>> RankFriends::exchange_boundary()
{
    const auto is_linked = [&](std::size_t i) { return request_.types >> own_.type[i] & 1; };
    const auto for_receivers = [&](std::size_t i, const auto& visit) {
        slabs_.for_slabs_below(own_.position[i], request_.rule.linking_length, visit);
    };
    std::vector<std::uint8_t> is_sent(in_slab_);
#pragma omp parallel for if (in_slab_ > worth_threads) schedule(static)
    for (std::size_t i = 0; i < in_slab_; ++i)
        if (is_linked(i))
            for_receivers(i, [&](int) { is_sent[i] = 1; });
    std::vector<Index> sent_last;
    list_where(
        in_slab_, [&](std::size_t i) { return is_linked(i) && !is_sent[i]; }, chosen_);
    list_where(
        in_slab_, [&](std::size_t i) { return is_sent[i]; }, sent_last);
    boundary_.first = chosen_.size();
    chosen_.insert(chosen_.end(), sent_last.begin(), sent_last.end());
    boundary_.end = chosen_.size();
    std::vector<int> receivers;
    std::vector<Index> linked, place; // of each one sent
    for (std::size_t k = boundary_.first; k < boundary_.end; ++k)
        for_receivers(chosen_[k], [&](int rank) {
            receivers.push_back(rank);
            linked.push_back(Index(k));
        });
    const auto [order, begin] = sorted_by_rank(receivers, ranks_.size());
    boundary_.begin = begin;
    for (const Index k : order) {
        boundary_.sent.push_back(linked[k]);
        place.push_back(chosen_[linked[k]]);
    }
    std::vector<Vec3<double>> received;
    boundary_.from =
        exchange_columns(boundary_.begin, ranks_, memory_,
                         GatherColumn{std::span<const Vec3<double>>(own_.position),
                                      std::span<const Index>(place), received},
                         GatherColumn{std::span<const std::uint64_t>(own_.id),
                                      std::span<const Index>(place), boundary_.number});
    UnsetArray<Vec3<double>> position(chosen_.size() + received.size());
#pragma omp parallel for if (in_slab_ > worth_threads) schedule(static)
    for (std::size_t k = 0; k < chosen_.size(); ++k)
        position[k] = own_.position[chosen_[k]];
    std::ranges::copy(received, position.begin() + std::ptrdiff_t(chosen_.size()));
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
                std::min(piece.label, k < end ? own_.id[chosen_[k]] : boundary_.number[k - end]);
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
    std::vector<int> judge;
    for (const Tally& one : own)
        judge.push_back(int(one.label % std::uint64_t(ranks_.size())));
    const auto [order, begin] = sorted_by_rank(judge, ranks_.size());
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
                members.push_back({group.rank, piece.label, chosen_[k]});
    }
    return members;
}

/// Sends members to the ranks of their groups, and replaces them by the members received.
void RankFriends::receive_members(std::vector<Member>& members)
{
    std::vector<int> rank;
    for (const Member& one : members)
        rank.push_back(int(one.rank));
    const auto [order, begin] = sorted_by_rank(rank, ranks_.size());
    const std::size_t self = std::size_t(ranks_.rank());
    std::vector<Member> kept;
    std::vector<Index> place;
    std::vector<std::uint64_t> label;
    std::vector<std::size_t> leaving{0};
    for (std::size_t r = 0; r + 1 < begin.size(); ++r) {
        for (std::size_t k = begin[r]; k < begin[r + 1]; ++k) {
            const Member& one = members[order[k]];
            if (r == self)
                kept.push_back(one);
            else {
                place.push_back(one.place);
                label.push_back(one.label);
            }
        }
        leaving.push_back(place.size());
    }
    Particles arrived;
    std::vector<std::uint64_t> labels;
    std::vector<Index> in_order(label.size());
    std::iota(in_order.begin(), in_order.end(), Index(0));
    const auto column = [&](const auto& values, auto& into) {
        return GatherColumn{std::span(values), std::span<const Index>(place), into};
    };
    exchange_columns(leaving, ranks_, memory_, column(own_.position, arrived.position),
                     column(own_.velocity, arrived.velocity), column(own_.mass, arrived.mass),
                     column(own_.id, arrived.id),
                     GatherColumn{std::span<const std::uint64_t>(label),
                                  std::span<const Index>(in_order), labels},
                     column(own_.type, arrived.type));
    for (std::size_t k = 0; k < labels.size(); ++k)
        kept.push_back({self, labels[k], Index(own_.size() + k)});
    for_each_column([](Column, const std::string&, auto& own,
                       const auto& more) { own.insert(own.end(), more.begin(), more.end()); },
                    own_, arrived);
    members = std::move(kept);
}

/// Returns the groups of this rank, with members by number. Particles of the slab ascend by number,
/// as those of each home rank do.
ParticleGroups RankFriends::collected(const ParticleGroups& linked,
                                      std::vector<Member> members) const
{
    ParticleGroups groups{{0}, {}};
    for (std::size_t g = 0; g < linked.size(); ++g)
        if (!pieces_[g].is_shared) {
            for (const Index k : linked[g])
                groups.members.push_back(chosen_[k]);
            groups.first.push_back(groups.members.size());
        }
    std::ranges::sort(members, {},
                      [&](const Member& one) { return std::pair(one.label, own_.id[one.place]); });
    for (std::size_t k = 0; k < members.size(); ++k) {
        groups.members.push_back(members[k].place);
        if (k + 1 == members.size() || members[k + 1].label != members[k].label)
            groups.first.push_back(groups.members.size());
    }
    return groups;
}

} // namespace chamomile
