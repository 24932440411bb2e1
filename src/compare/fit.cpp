#include "compare/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <farfield/core/diagnostic.hpp>
#include <farfield/numerics/interval.hpp>
#include <limits>
#include <utility>

namespace farfield::compare {

namespace {

using numerics::infinity;
constexpr double widest = 12;          ///< powers of two around the declared value
constexpr double fine_step = 1.0 / 3;  ///< of these powers, if angles depend on positions
constexpr double coarse_step = 1;
constexpr double first_reach = 8;  ///< positions
constexpr double further = 8;      ///< factor of the reach at each step
constexpr double golden = 0.6180339887498949;
constexpr int narrowings = 34;  ///< steps of the golden-section search: to 8e-8 of the bracket
constexpr int points = 16;      ///< of a scan of a function with steps
constexpr int looks = 4;        ///< scans, each of an eighth of the previous bracket
constexpr int most_digits = 8;
constexpr double least_change = 1e-5;  ///< a smaller change is an error of the frequencies, not another value

/// The misfit of the sample to the model with a constant of declared * 2^x.
class Misfit {
public:
    Misfit(const Case& all, const Unknown& unknown, std::vector<Choice> with, Sample& sample)
        : builder_(all), declared_(unknown.declared), set_(std::move(with)), sample_(sample) {
        set_.push_back(unknown.choice);
    }

    double value_at(double x) const { return declared_ * std::exp2(x); }

    double operator()(double x, double reach) {
        set_.back().constants = {fmt::format("{}", value_at(x))};
        try {
            const std::optional<Model> model = builder_.build(set_);
            const double sum = model ? sample_.misfit(*model, reach) : infinity;
            return std::isnan(sum) ? infinity : sum;
        } catch (const core::UserError&) {
            return infinity;  // the scheme does not allow the value
        }
    }

private:
    Builder builder_;
    double declared_;
    std::vector<Choice> set_;
    Sample& sample_;
};

/// The smallest misfit between two ends with one minimum between them.
double least_between(Misfit& misfit, double low, double high, double reach) {
    double left = high - golden * (high - low);
    double right = low + golden * (high - low);
    double at_left = misfit(left, reach);
    double at_right = misfit(right, reach);
    for (int each = 0; each < narrowings; ++each) {
        if (at_left <= at_right) {
            high = std::exchange(right, left);
            at_right = at_left;
            left = high - golden * (high - low);
            at_left = misfit(left, reach);
        } else {
            low = std::exchange(left, right);
            at_left = at_right;
            right = low + golden * (high - low);
            at_right = misfit(right, reach);
        }
    }
    return (low + high) / 2;
}

/// The same for a function that may have steps, such as one of buckets or of a window: the middle of the lowest step,
/// if several points of a scan are on it.
double least_of_steps(Misfit& misfit, double low, double high, double reach) {
    for (int look = 0; look < looks; ++look) {
        const double step = (high - low) / points;
        double least = infinity;
        int first = 0;
        int last = 0;
        for (int point = 0; point <= points; ++point) {
            const double sum = misfit(low + point * step, reach);
            if (sum < least) first = point;
            if (sum <= least && (sum < least || last == point - 1)) last = point;
            least = std::min(least, sum);
        }
        if (first < last) return low + (first + last) * step / 2;
        high = low + (last + 1) * step;
        low += (first - 1) * step;
    }
    return least_between(misfit, low, high, reach);
}

}  // namespace

std::vector<std::string> fitted_values(const Case& all, const Unknown& unknown, const std::vector<Choice>& with,
                                       Sample& sample) {
    Misfit misfit(all, unknown, with, sample);
    const bool has_positions = all.layout.has(Axis::position);
    const double step = has_positions ? fine_step : coarse_step;
    double best = 0;
    double least = infinity;
    double most = 0;
    for (int at = 0; at <= static_cast<int>(std::lround(2 * widest / step)); ++at) {
        const double x = at * step - widest;
        const double sum = misfit(x, first_reach);
        if (std::isfinite(sum)) most = std::max(most, sum);
        if (sum < least) {
            least = sum;
            best = x;
        }
    }
    if (!(least < most)) return {};
    double bracket = step;
    const double last = has_positions ? all.layout.length : first_reach;
    for (double reach = first_reach;; reach *= further, bracket /= further) {
        best = (has_positions ? least_between : least_of_steps)(misfit, best - bracket, best + bracket, reach);
        if (reach >= last) break;
    }
    const double value = misfit.value_at(best);
    if (std::abs(value / unknown.declared - 1) < least_change) return {};
    std::vector<std::string> values;
    const auto add = [&](double number) {
        if (number == 0) return;  // a factor of 0 would explain any tensor of zeros
        const std::string text = fmt::format("{}", number);
        if (std::find(values.begin(), values.end(), text) == values.end()) values.push_back(text);
    };
    for (int digits = 1; digits <= most_digits; ++digits)
        add(std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr));
    for (const double number : {std::floor(value), std::ceil(value), value}) add(number);
    std::stable_sort(values.begin(), values.end(),
                     [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
    return values;
}

}  // namespace farfield::compare
