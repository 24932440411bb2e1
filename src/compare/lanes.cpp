#include "compare/lanes.hpp"

#include <algorithm>
#include <limits>

namespace farfield::compare {

namespace {

struct Pair {
    std::size_t index;    ///< i
    std::size_t partner;  ///< the other dimension of the pair
    double turned;        ///< the sign of the partner's term: -1 or 1 for the first or second dimension; 0: not rotated
};

Pair pair_of(const Pairing& pairing, std::size_t dimension) {
    if (pairing.columns == Columns::pairs) return {dimension, dimension, 0};
    if (dimension >= pairing.turned) return {0, dimension, 0};
    const std::size_t half = pairing.turned / 2;
    const bool is_interleaved = pairing.columns == Columns::interleaved;
    const bool is_first = is_interleaved ? dimension % 2 == 0 : dimension < half;
    const std::size_t partner = is_interleaved ? dimension ^ 1U : (is_first ? dimension + half : dimension - half);
    return {is_interleaved ? dimension / 2 : dimension % half, partner, is_first ? -1.0 : 1.0};
}

/// The dimension before the rotation of the vector's `dimension` after it.
std::size_t before(const Pairing& pairing, const Pair& pair, std::size_t dimension) {
    if (!pairing.before || dimension >= pairing.turned) return dimension;
    const std::size_t half = pairing.turned / 2;
    const bool is_first = pair_of(pairing, dimension).turned < 0;
    if (*pairing.before == Columns::interleaved) return 2 * pair.index + (is_first ? 0 : 1);
    return pair.index + (is_first ? 0 : half);
}

}  // namespace

std::vector<double>& Lanes::lane(std::string_view name) {
    return lanes_[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())];
}

Lanes::Lanes(const Case& all, const Pairing& pairing, std::span<const std::size_t> numbers) : count_(numbers.size()) {
    for (std::vector<double>& each : lanes_) each.resize(count_);
    std::vector<double>&head = lane("head"), &q = lane("q"), &k = lane("k"), &n = lane("n"), &p = lane("p"),
    &i = lane("i"), &component = lane("component"), &turned = lane("turned");
    for (std::size_t at = 0; at < count_; ++at) {
        const Where place = where(all.layout, numbers[at]);
        head[at] = place.head;
        q[at] = place.query;
        k[at] = place.key;
        n[at] = place.distance;
        p[at] = place.position;
        component[at] = static_cast<double>(place.component);
        const Pair pair = pair_of(pairing, place.dimension);
        i[at] = static_cast<double>(pair.index);
        turned[at] = pair.turned;
    }
    if (all.layout.is_vector()) fill_vectors(all, pairing, numbers);
}

Lanes::Lanes(double head, double n0, std::size_t count) : count_(count) {
    lane("head").assign(count, head);
    lane("k").assign(count, 0);
    for (const std::string_view name : {"q", "n"}) {
        lane(name).resize(count);
        for (std::size_t at = 0; at < count; ++at) lane(name)[at] = n0 - static_cast<double>(at);
    }
}

void Lanes::fill_vectors(const Case& all, const Pairing& pairing, std::span<const std::size_t> numbers) {
    const std::size_t width = all.layout.extent(Axis::dimension);
    std::vector<double> vector(width);
    std::size_t begin = std::numeric_limits<std::size_t>::max();
    for (std::size_t at = 0; at < count_; ++at) {
        const std::size_t dimension = numbers[at] % width;
        if (numbers[at] - dimension != begin) {
            begin = numbers[at] - dimension;
            all.question.input->read(begin, vector);
        }
        const Pair pair = pair_of(pairing, dimension);
        lane("x")[at] = vector[before(pairing, pair, dimension)];
        lane("y")[at] = vector[before(pairing, pair, pair.partner)];
    }
}

Lanes::Lanes(const Lanes& other, Axis axis, std::span<const double> places) : count_(other.count_ * places.size()) {
    const auto put = [&](std::string_view name, const auto& number) {
        auto numbers = lane(name).begin();
        for (const double place : places)
            for (std::size_t at = 0; at < other.count_; ++at) *numbers++ = number(at, place);
    };
    for (std::size_t name = 0; name < names.size(); ++name) {
        const std::vector<double>& once = other.lanes_[name];
        lanes_[name].reserve(count_);
        for (std::size_t i = 0; i < places.size(); ++i)
            lanes_[name].insert(lanes_[name].end(), once.begin(), once.end());
    }
    const std::vector<double> keys = lane("k");
    const auto place = [](std::size_t, double number) { return number; };
    if (axis == Axis::position) put("p", place);
    if (axis == Axis::distance) put("n", place);
    if (axis == Axis::head) put("head", place);
    if (axis == Axis::key) put("q", [&](std::size_t at, double number) { return keys[at] + number; });
}

double value_of(const formula::Node& tree, const std::vector<formula::Replacement>& names) {
    return Lanes(1, 0, 1).evaluate(formula::substitute(tree, names), {}).front();
}

std::vector<double> Lanes::evaluate(const formula::Node& tree, const evaluate::NumberSystem& system) const {
    formula::Signature signature;
    evaluate::Inputs inputs;
    inputs.points = count_;
    const std::vector<std::string> used = formula::free_names(tree);
    for (std::size_t name = 0; name < names.size(); ++name) {
        if (std::find(used.begin(), used.end(), names[name]) == used.end()) continue;
        signature.varying.emplace_back(names[name]);
        inputs.varying.emplace_back(std::span<const double>(lanes_[name]));
    }
    if (!inputs.varying.empty()) return evaluate::evaluate(formula::compile(tree, signature), inputs, system);
    inputs.points = 1;
    return std::vector<double>(count_, evaluate::evaluate(formula::compile(tree, signature), inputs, system).front());
}

}  // namespace farfield::compare
