#include "compare/factors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "compare/expected.hpp"
#include "compare/lanes.hpp"

namespace farfield::compare {

namespace {

constexpr double no_sum = std::numeric_limits<double>::infinity();
constexpr double least_power = -2;  ///< powers of two
constexpr double most_power = 12;
constexpr double power_step = 0.25;
constexpr double factor_reach = 2;    ///< positions
constexpr double factor_further = 4;  ///< times, at each look
constexpr double golden_part = 0.6180339887498949;
constexpr double told_apart = 0.01;  ///< a difference of misfits, beyond all rounding
constexpr int factor_narrowings = 34;
constexpr std::size_t most_rows_of_pair = 128;
constexpr std::size_t fewest_rows_of_pair = 16;
constexpr int most_digits_of_factor = 9;

const Edit& edit_of(Action action, std::string_view name = {}) {
    const auto rows = edits();
    return *std::find_if(rows.begin(), rows.end(), [&](const Edit& each) {
        return each.action == action && (name.empty() || each.name == name);
    });
}

/// All numbers at some positions, every other axis but the pairs' at its beginning.
std::vector<std::size_t> numbers_looked_at(const Layout& layout) {
    std::vector<std::size_t> numbers = {0};
    for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
        const Axis kind = layout.axes[axis];
        const std::size_t extent = layout.shape[axis];
        const bool is_whole = kind == Axis::dimension || kind == Axis::component;
        const std::size_t wanted = is_whole ? extent : kind == Axis::position ? most_rows_of_pair : 1;
        std::vector<std::size_t> next;
        for (const std::size_t number : numbers)
            for (const std::size_t index : spread(extent, wanted)) next.push_back(number * extent + index);
        numbers = std::move(next);
    }
    return numbers;
}

/// The numbers looked at, by pair.
class Pairs {
public:
    Pairs(const Case& all, const std::vector<Choice>& with, const tensor::Tensor& tensor, const Model& model)
        : all_(all),
          builder_(all),
          set_(with),
          numbers_(numbers_looked_at(all.layout)),
          lanes_(all, model.pairing, numbers_),
          found_(numbers_.size()) {
        for (std::size_t at = 0; at < numbers_.size(); ++at)
            read_numbers(all.layout, tensor, numbers_[at], std::span(found_).subspan(at, 1));
        pair_ = lanes_.evaluate(formula::make_name("i"), {});
        position_ = lanes_.evaluate(formula::make_name("p"), {});
        is_still_.assign(numbers_.size(), 0);
        if (all.layout.is_vector()) {
            const std::vector<double> turned = lanes_.evaluate(formula::make_name("turned"), {});
            for (std::size_t at = 0; at < turned.size(); ++at) is_still_[at] = turned[at] == 0;
        }
        for (const double pair : pair_) count_ = std::max(count_, static_cast<std::size_t>(pair) + 1);
        set_.push_back({.edit = &edit_of(Action::pair_factors)});
    }

    std::size_t count() const { return count_; }
    Choice choice() const { return set_.back(); }

    /// The sum of squared differences of each pair at positions up to `reach`.
    std::vector<double> misfit(const std::vector<double>& powers, double reach) {
        std::vector<std::string> texts;
        for (const double power : powers) texts.push_back(fmt::format("{}", std::exp2(power)));
        const std::vector<double> values = lanes_.evaluate(model_of(texts).value, {});
        std::vector<double> sums(count_, 0);
        for (std::size_t at = 0; at < values.size(); ++at) {
            if (is_still_[at] != 0 || std::abs(position_[at]) > reach) continue;
            const double difference = found_[at] - values[at];
            sums[static_cast<std::size_t>(pair_[at])] += difference * difference;
        }
        return sums;
    }

    /// Whether all numbers of each pair are within the tolerance.
    std::vector<bool> fits(const std::vector<std::string>& factors) {
        const Expected expected = expect(all_, model_of(factors), lanes_);
        std::vector<bool> fit(count_, true);
        for (std::size_t at = 0; at < found_.size(); ++at) {
            const bool is_near = std::abs(found_[at] - expected.value[at]) * expected.per_unit[at] <= all_.tolerance;
            if (!is_near) fit[static_cast<std::size_t>(pair_[at])] = false;
        }
        return fit;
    }

private:
    Model model_of(const std::vector<std::string>& factors) {
        set_.back().constants = factors;
        return *builder_.build(set_);
    }

    const Case& all_;
    Builder builder_;
    std::vector<Choice> set_;
    std::vector<std::size_t> numbers_;
    Lanes lanes_;
    std::vector<double> found_;
    std::vector<double> pair_;
    std::vector<double> position_;
    std::vector<char> is_still_;
    std::size_t count_ = 0;
};

/// For each pair the power of two in low to high with the least misfit; all pairs are narrowed together.
std::vector<double> narrowed(Pairs& pairs, std::vector<double> low, std::vector<double> high, double reach) {
    const std::size_t count = pairs.count();
    std::vector<double> left(count);
    std::vector<double> right(count);
    for (int each = 0; each < factor_narrowings; ++each) {
        for (std::size_t pair = 0; pair < count; ++pair) {
            left[pair] = high[pair] - golden_part * (high[pair] - low[pair]);
            right[pair] = low[pair] + golden_part * (high[pair] - low[pair]);
        }
        const std::vector<double> at_left = pairs.misfit(left, reach);
        const std::vector<double> at_right = pairs.misfit(right, reach);
        for (std::size_t pair = 0; pair < count; ++pair) {
            if (at_left[pair] <= at_right[pair])
                high[pair] = right[pair];
            else
                low[pair] = left[pair];
        }
    }
    for (std::size_t pair = 0; pair < count; ++pair) low[pair] = (low[pair] + high[pair]) / 2;
    return low;
}

/// The power of two of each pair that fits best. A pair is looked for among all powers up to where its angle is large
/// enough to tell them apart, and from there on near the last one found, so that no turn is mistaken for another.
std::vector<double> fitted(Pairs& pairs, double length) {
    std::vector<double> best(pairs.count(), 0);
    std::vector<double> bracket(pairs.count(), 0);  // 0: not found yet
    for (double reach = factor_reach;; reach *= factor_further) {
        std::vector<double> lowest(pairs.count(), no_sum);
        std::vector<double> highest(pairs.count(), 0);
        std::vector<double> at(pairs.count(), 0);
        for (double power = least_power; power <= most_power; power += power_step) {
            const std::vector<double> sums = pairs.misfit(std::vector<double>(pairs.count(), power), reach);
            for (std::size_t pair = 0; pair < sums.size(); ++pair) {
                highest[pair] = std::max(highest[pair], sums[pair]);
                if (sums[pair] < lowest[pair]) at[pair] = power;
                lowest[pair] = std::min(lowest[pair], sums[pair]);
            }
        }
        std::vector<double> low = best;
        std::vector<double> high = best;
        for (std::size_t pair = 0; pair < pairs.count(); ++pair) {
            const bool is_found = bracket[pair] > 0;
            if (!is_found) best[pair] = at[pair];
            const double width = is_found ? bracket[pair] : power_step;
            low[pair] = best[pair] - width;
            high[pair] = best[pair] + width;
            if (is_found || highest[pair] - lowest[pair] > told_apart) bracket[pair] = width / factor_further;
        }
        best = narrowed(pairs, low, high, reach);
        if (reach >= length) return best;
    }
}

}  // namespace

std::optional<Choice> pair_factors(const Case& all, const std::vector<Choice>& with, const tensor::Tensor& tensor) {
    if (!applies(edit_of(Action::pair_factors), all.layout.part) || !all.layout.has(Axis::position)) return {};
    if (all.layout.extent(Axis::position) < fewest_rows_of_pair) return {};
    const std::optional<Model> model = Builder(all).build(with);
    if (!model) return {};
    Pairs pairs(all, with, tensor, *model);
    std::vector<std::string> factors(pairs.count(), "1");
    std::vector<bool> fit = pairs.fits(factors);
    const auto is_done = [&] { return std::all_of(fit.begin(), fit.end(), [](bool each) { return each; }); };
    if (is_done()) return {};
    const std::vector<double> best = fitted(pairs, all.layout.length);
    for (int digits = 1; digits <= most_digits_of_factor && !is_done(); ++digits) {
        std::vector<std::string> next = factors;
        for (std::size_t pair = 0; pair < best.size(); ++pair) {
            const double rounded = std::strtod(fmt::format("{:.{}g}", std::exp2(best[pair]), digits).c_str(), nullptr);
            if (!fit[pair]) next[pair] = fmt::format("{}", rounded);
        }
        const std::vector<bool> now = pairs.fits(next);
        for (std::size_t pair = 0; pair < best.size(); ++pair)
            if (now[pair]) {
                factors[pair] = next[pair];
                fit[pair] = true;
            }
    }
    if (!is_done()) return {};
    Choice choice = pairs.choice();
    choice.constants = factors;
    return choice;
}

std::optional<Choice> multiple_of(const Case& all, const tensor::Tensor& tensor) {
    const Edit& edit = edit_of(Action::value, "table-multiplied");
    const Layout& layout = all.layout;
    const bool is_cosine = layout.part == Part::cosine || layout.part == Part::turn;
    if (!is_cosine || !layout.has(Axis::position)) return {};
    double multiple = 0;
    for (const std::size_t number : numbers_looked_at(layout)) {
        const Where place = where(layout, number);
        if (place.position != 0 || place.component != 0) continue;
        double found = 0;
        read_numbers(layout, tensor, number, std::span(&found, 1));
        if (multiple != 0 && found != multiple) return {};
        multiple = found;
    }
    if (multiple == 0 || multiple == 1) return {};
    const bool is_double = all.format == nullptr;
    return Choice{
        .edit = &edit,
        .constants = {is_double ? fmt::format("{}", multiple) : fmt::format("{}", static_cast<float>(multiple))}};
}

}  // namespace farfield::compare
