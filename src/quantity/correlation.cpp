// Correlation of two samples, of their values (Pearson) or their ranks (Spearman).
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <farfield/numerics/interval_functions.hpp>
#include <farfield/numerics/statistics.hpp>

#include "quantity/enclosed_sample.hpp"
#include "quantity/kinds.hpp"
#include "quantity/sample.hpp"

namespace farfield::quantity {
namespace {

using core::Key;
using core::KeyType;
using numerics::Interval;
using numerics::point;

constexpr std::array<Key, 2> correlation_keys = {
    Key{.name = "x",
        .type = KeyType::any,
        .required = true,
        .meaning = "a sample, written as for a ttest; usually { of = NAMES, value = FIELD }, where a swept name means "
                   "all its items"},
    Key{.name = "y", .type = KeyType::any, .required = true, .meaning = "the other sample, in the same order"},
};

/// Pearson's correlation; undefined if a sample may not vary. Two points lie on a line.
Interval pearson_correlation(const std::vector<Interval>& x, const std::vector<Interval>& y) {
    if (x.size() == 2) {
        const Interval product = (x[1] - x[0]) * (y[1] - y[0]);
        if (product.lo > 0 || product.hi < 0) return point(product.lo > 0 ? 1 : -1);
    }
    const std::vector<Interval> a = deviations(scaled(x, squaring_exponent(x)));
    const std::vector<Interval> b = deviations(scaled(y, squaring_exponent(y)));
    Interval product = point(0), square_of_a = point(0), square_of_b = point(0);
    for (std::size_t i = 0; i < a.size(); ++i) {
        product = product + a[i] * b[i];
        square_of_a = square_of_a + numerics::abs(a[i]) * numerics::abs(a[i]);
        square_of_b = square_of_b + numerics::abs(b[i]) * numerics::abs(b[i]);
    }
    const Interval both = square_of_a * square_of_b;
    if (!(both.lo > 0)) return numerics::undefined_interval();
    return numerics::clamp(product / numerics::sqrt(both), point(-1), point(1));
}

/// A number of a sample: what is known of it, and its place in the sample.
struct Member {
    Interval value;
    std::optional<numerics::Rational> exact;
    std::size_t index = 0;
};

Member member_of(const Observation& observation, std::size_t index) {
    const core::Cell& cell = observation.cell;
    const Interval value = cell.enclosure ? Interval{cell.enclosure->lo, cell.enclosure->hi} : point(*cell.number);
    const std::optional<numerics::Rational> exact = exact_value(observation);
    // The narrowest interval, so that exact numbers have the order of their lower ends.
    return {exact ? numerics::enclose(*exact) : value, exact, index};
}

/// The ranks of a sample, and whether they are certain, ties included. Exact numbers are compared as such, because
/// different ones may have the same double; ranks that are not certain are those of the doubles.
struct Order {
    std::vector<double> ranks;
    bool is_certain = true;
};

Order order_of(const std::vector<Observation>& sample) {
    std::vector<Member> members;
    for (std::size_t i = 0; i < sample.size(); ++i) members.push_back(member_of(sample[i], i));
    std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
        return a.value.lo != b.value.lo ? a.value.lo < b.value.lo : a.exact < b.exact;
    });
    const auto is_tie = [](const Member& a, const Member& b) { return a.exact && a.exact == b.exact; };
    const auto is_less = [](const Member& a, const Member& b) {
        return a.exact && b.exact ? *a.exact < *b.exact : a.value.hi < b.value.lo;
    };
    Order order{std::vector<double>(sample.size())};
    for (std::size_t first = 0; first < members.size();) {
        std::size_t end = first + 1;
        while (end < members.size() && is_tie(members[first], members[end])) ++end;
        if (end < members.size() && !is_less(members[first], members[end]))
            return {numerics::ranks(numbers_of(sample)), false};
        for (std::size_t i = first; i < end; ++i)
            order.ranks[members[i].index] = static_cast<double>(first + end + 1) / 2;
        first = end;
    }
    return order;
}

std::vector<Interval> points(const std::vector<double>& numbers) {
    std::vector<Interval> all;
    std::transform(numbers.begin(), numbers.end(), std::back_inserter(all), point);
    return all;
}

/// The probability of a correlation at least as large if there were none, by Student's t with n - 2 degrees of freedom.
double p_of(double correlation, std::size_t n) {
    const double freedom = static_cast<double>(n) - 2;
    const double left = 1 - correlation * correlation;
    const double t = left > 0 ? correlation * std::sqrt(freedom / left) : INFINITY;
    return numerics::two_sided_p(t, freedom);
}

/// p falls as the correlation's magnitude rises.
Interval p_of(const Interval& correlation, std::size_t n) {
    if (is_undefined(correlation)) return correlation;
    const Interval freedom = count(n - 2);
    const auto at = [&](double size) {
        if (size == 1) return point(0);
        const Interval left = point(1) - point(size) * point(size);
        return p_value(point(size) * numerics::sqrt(freedom / left), freedom);
    };
    const Interval size = numerics::abs(correlation);
    return {at(size.hi).lo, at(size.lo).hi};
}

/// Sets a correlation and its p, which do not exist if a sample does not vary: the number is NaN.
void set_both(core::Result& result, const std::string& name, double number, const Interval& interval,
              core::Rigour rigour, std::size_t n) {
    const bool exists = !std::isnan(number);
    const bool has_p = exists && n > 2;
    result.set(name, exists ? statistic_cell(number, interval, rigour) : core::Cell::missing());
    result.set(name + "_p", has_p ? statistic_cell(p_of(number, n), p_of(interval, n), rigour) : core::Cell::missing());
}

class Correlation : public Prepared {
public:
    Correlation(SampleSource x, SampleSource y) : x_(std::move(x)), y_(std::move(y)) {}

    std::vector<std::string> needs() const override {
        std::vector<std::string> names = x_.needs();
        names.insert(names.end(), y_.needs().begin(), y_.needs().end());
        return names;
    }

    core::Result run(const Inputs& inputs) const override {
        const std::vector<Observation> xs = x_.observe(inputs);
        const std::vector<Observation> ys = y_.observe(inputs);
        check(xs.size(), ys.size());
        const std::vector<double> x = numbers_of(xs);
        const std::vector<double> y = numbers_of(ys);
        const EnclosedSample a = enclosed(xs);
        const EnclosedSample b = enclosed(ys);
        const core::Rigour rigour = std::min(a.rigour, b.rigour);
        const Order of_x = order_of(xs);
        const Order of_y = order_of(ys);
        core::Result result;
        set_both(result, "pearson", numerics::pearson_correlation(x, y), pearson_correlation(a.values, b.values),
                 rigour, x.size());
        set_both(result, "spearman", numerics::pearson_correlation(of_x.ranks, of_y.ranks),
                 of_x.is_certain && of_y.is_certain ? pearson_correlation(points(of_x.ranks), points(of_y.ranks))
                                                    : numerics::undefined_interval(),
                 rigour, x.size());
        if (rigour != core::Rigour::none) {
            state_origins(result.evidence, "x", xs);
            state_origins(result.evidence, "y", ys);
        }
        result.set("n", core::Cell::exact(static_cast<double>(x.size())));
        result.series = core::Series{{{"x", x, {}}, {"y", y, {}}}, core::Rigour::none, 1};
        core::Table table{{}, {"x", "y"}, {}};
        for (std::size_t i = 0; i < x.size(); ++i) {
            table.rows.push_back(ys[i].name);
            table.cells.push_back(xs[i].cell);
            table.cells.push_back(ys[i].cell);
        }
        result.table = std::move(table);
        return result;
    }

private:
    void check(std::size_t xs, std::size_t ys) const {
        if (xs != ys) {
            throw core::UserError(
                {{y_.place(), "samples of " + std::to_string(xs) + " and " + std::to_string(ys) + " numbers", "pairs",
                  ""}});
        }
        if (xs < 2)
            throw core::UserError({{x_.place(), "a sample of " + std::to_string(xs), "two numbers at least", ""}});
    }

    SampleSource x_;
    SampleSource y_;
};

std::unique_ptr<Prepared> prepare_correlation(const Declaration& declaration, core::Problems& problems) {
    const std::size_t before = problems.reports();
    SampleSource x(declaration, "x", problems);
    SampleSource y(declaration, "y", problems);
    if (problems.reports() == before && x.is_same(y))
        problems.add(y.place(), "a correlation of a sample with itself", "another sample");
    for (const SampleSource* sample : {&x, &y})
        if (problems.reports() == before && sample->is_constant())
            problems.add(sample->place(), "all numbers of the sample are the same", "a sample that varies");
    if (problems.reports() != before) return nullptr;
    return std::make_unique<Correlation>(std::move(x), std::move(y));
}

}  // namespace

const Kind& correlation_kind() {
    static const Kind kind{
        "correlation",
        "Pearson's and Spearman's correlation of two samples",
        correlation_keys,
        false,
        prepare_correlation,
        SearchRule::none,
        {"pearson >= -1 and pearson <= 1 and spearman >= -1 and spearman <= 1 and pearson_p >= 0 and pearson_p <= 1 "
         "and spearman_p >= 0 and spearman_p <= 1 and pearson_p_holm >= pearson_p and pearson_p_holm <= 1 and "
         "spearman_p_holm >= spearman_p and spearman_p_holm <= 1 and n >= 2 and n == floor(n)"}};
    return kind;
}

}  // namespace farfield::quantity
