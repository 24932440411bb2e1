#include "quantity/runs.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include <farfield/evaluate/array.hpp>

namespace farfield::quantity {
namespace {

constexpr std::size_t most_products = 4'000'000;

/// A set of 0..length-1 as bits.
class Bits {
public:
    explicit Bits(long long length) : length_(length), words_(static_cast<std::size_t>(length / 64 + 2)) {}

    void set(Run run) {
        for (long long at = run.first; at <= run.last; ++at) word(at) |= std::uint64_t{1} << (at % 64);
    }

    /// Every element moved by each of the shifts; elements that leave the range are dropped.
    Bits moved(const std::vector<long long>& shifts) const {
        Bits result(length_);
        result.words_ = evaluate::united_shifts(words_, shifts);
        return result;
    }

    /// Every element and the `count` - 1 integers after it, by repeated doubling.
    Bits stretched(long long count) const {
        Bits result = *this;
        for (long long covered = 1; covered < count;) {
            const long long more = std::min(covered, count - covered);
            result = result.moved({0, more});
            covered += more;
        }
        return result;
    }

    void add(const Bits& other) {
        for (std::size_t word = 0; word < words_.size(); ++word) words_[word] |= other.words_[word];
    }

    Runs runs() const {
        std::vector<Run> list;
        for (long long at = 0; at < length_; ++at) {
            if (!(words_[static_cast<std::size_t>(at / 64)] >> (at % 64) & 1)) continue;
            if (!list.empty() && list.back().last == at - 1)
                list.back().last = at;
            else
                list.push_back({at, at});
        }
        return Runs(std::move(list));
    }

private:
    std::uint64_t& word(long long at) { return words_[static_cast<std::size_t>(at / 64)]; }

    long long length_;
    std::vector<std::uint64_t> words_;
};

/// The set moved by every element of the runs. Runs of the same length share the set extended by this length.
Bits moved_by(const Bits& set, const std::vector<Run>& shifts, long long length) {
    std::map<long long, std::vector<long long>> firsts;
    for (const Run& run : shifts) firsts[run.last - run.first + 1].push_back(run.first);
    Bits result(length);
    for (const auto& [count, moves] : firsts) result.add(set.stretched(count).moved(moves));
    return result;
}

Runs by_products(const Runs& positions, const Runs& distances, long long length) {
    std::vector<Run> list;
    for (const Run& s : positions.list()) {
        for (const Run& d : distances.list()) {
            const Run moved{std::max(0LL, s.first - d.last), std::min(length - 1, s.last - d.first)};
            if (moved.first <= moved.last) list.push_back(moved);
        }
    }
    return Runs(std::move(list));
}

}  // namespace

Runs::Runs(std::vector<Run> runs) {
    std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
    for (const Run& run : runs) {
        if (!runs_.empty() && run.first <= runs_.back().last + 1)
            runs_.back().last = std::max(runs_.back().last, run.last);
        else
            runs_.push_back(run);
    }
}

long long Runs::count() const {
    long long total = 0;
    for (const Run& run : runs_) total += run.last - run.first + 1;
    return total;
}

bool Runs::contains(const Run& run) const {
    const auto after = std::upper_bound(runs_.begin(), runs_.end(), run.first,
                                        [](long long value, const Run& other) { return value < other.first; });
    return after != runs_.begin() && std::prev(after)->last >= run.last;
}

Runs Runs::united(const Runs& other) const {
    std::vector<Run> all = runs_;
    all.insert(all.end(), other.runs_.begin(), other.runs_.end());
    return Runs(std::move(all));
}

Runs Runs::missing_from(const Run& run) const {
    std::vector<Run> result;
    long long next = run.first;
    for (const Run& known : runs_) {
        if (known.last < run.first) continue;
        if (known.first > run.last) break;
        if (known.first > next) result.push_back({next, known.first - 1});
        next = std::max(next, known.last + 1);
    }
    if (next <= run.last) result.push_back({next, run.last});
    return Runs(std::move(result));
}

Runs differences(const Runs& positions, const Runs& distances, long long length) {
    const std::size_t p = positions.list().size();
    const std::size_t d = distances.list().size();
    if (p * d <= most_products) return by_products(positions, distances, length);
    // s - d, with d as shifts of the positions, or with s as shifts of the mirrored distances length - d.
    Bits set(3 * length);
    std::vector<Run> shifts;
    if (d <= p) {
        for (const Run& run : positions.list()) set.set({run.first + length, run.last + length});
        for (const Run& run : distances.list()) shifts.push_back({-run.last, -run.first});
    } else {
        for (const Run& run : distances.list()) set.set({length - run.last, length - run.first});
        shifts = positions.list();
    }
    const Runs found = moved_by(set, shifts, 3 * length).runs();
    std::vector<Run> inside;
    for (const Run& run : found.list()) {
        const Run moved{std::max(0LL, run.first - length), std::min(length - 1, run.last - length)};
        if (moved.first <= moved.last) inside.push_back(moved);
    }
    return Runs(std::move(inside));
}

}  // namespace farfield::quantity
