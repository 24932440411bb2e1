// Student's t-test of two samples, paired or not.
#include <algorithm>
#include <array>
#include <cmath>

#include <farfield/numerics/interval_functions.hpp>
#include <farfield/numerics/statistics.hpp>

#include "numerics/rational.hpp"
#include "quantity/enclosed_sample.hpp"
#include "quantity/holm.hpp"
#include "quantity/kinds.hpp"
#include "quantity/scalar.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using core::Key;
using core::KeyType;
using numerics::Interval;
using numerics::point;

constexpr std::array<Key, 5> ttest_keys = {
    Key{.name = "a",
        .type = KeyType::any,
        .required = true,
        .meaning = "a sample: a list of numbers (texts stand for their rounding interval), the name of a quantity with "
                   "a series, { of = NAME, row | column = NAME } of a table, { of = NAMES, value = FIELD } of one or "
                   "several quantities, or { of = NAME, seeds = FIELD } of a trained model's seeds"},
    Key{.name = "b", .type = KeyType::any, .required = true, .meaning = "the other sample"},
    Key{.name = "paired",
        .type = KeyType::boolean,
        .fallback = "false",
        .meaning = "whether a and b were measured on the same subjects in the same order (the same seeds)"},
    Key{.name = "equal_variances",
        .type = KeyType::boolean,
        .fallback = "true",
        .meaning = "not paired: pool both variances (Student), or not (Welch)"},
    Key{.name = "alpha",
        .type = KeyType::number,
        .fallback = usual_alpha,
        .meaning = "largest p at which the difference has a sign",
        .least = 0,
        .most = 1},
};

[[noreturn]] void refuse(const core::Place& place, std::string found, std::string wanted) {
    throw core::UserError({core::Diagnostic{place, std::move(found), std::move(wanted), {}}});
}

std::vector<Observation> observed(const SampleSource& source, const Inputs& inputs) {
    std::vector<Observation> sample = source.observe(inputs);
    if (sample.size() < 2)
        refuse(source.place(), "a sample of " + std::to_string(sample.size()), "two numbers at least");
    return sample;
}

/// A lower bound of the sum of squared deviations: of two numbers x and y alone it is (x - y)^2/2 at least. It is
/// above 0 if two numbers are known to differ, where the deviations from an unknown mean may all include 0.
double least_of_two(const std::vector<Interval>& values) {
    double least = numerics::infinity, greatest = -numerics::infinity;
    for (const Interval& each : values) {
        least = std::min(least, each.hi);
        greatest = std::max(greatest, each.lo);
    }
    if (!(greatest > least)) return 0;
    const Interval gap = point(greatest) - point(least);
    return (gap * gap / point(2)).lo;
}

/// The sum of squared deviations over n - 1.
Interval variance(const std::vector<Interval>& values) {
    Interval sum = point(0);
    for (const Interval& each : deviations(values)) {
        const Interval deviation = numerics::abs(each);
        sum = sum + deviation * deviation;
    }
    if (!(sum.lo > 0)) sum.lo = std::max(sum.lo, least_of_two(values));
    return sum / count(values.size() - 1);
}

struct Statistic {
    Interval difference;  ///< of the means
    Interval variance;    ///< of that difference
    Interval freedom;
    int exponent = 0;  ///< the samples were divided by 2^exponent
};

Statistic paired(const EnclosedSample& a, const EnclosedSample& b) {
    std::vector<Interval> differences;
    for (std::size_t i = 0; i < a.values.size(); ++i) differences.push_back(a.values[i] - b.values[i]);
    const int exponent = squaring_exponent(differences);
    differences = scaled(differences, exponent);
    const std::size_t n = differences.size();
    return {mean(differences), variance(differences) / count(n), count(n - 1), exponent};
}

Statistic unpaired(const EnclosedSample& first, const EnclosedSample& second, bool pools) {
    std::vector<Interval> all = first.values;
    all.insert(all.end(), second.values.begin(), second.values.end());
    const int exponent = squaring_exponent(all);
    const std::vector<Interval> a = scaled(first.values, exponent);
    const std::vector<Interval> b = scaled(second.values, exponent);
    const Interval na = count(a.size());
    const Interval nb = count(b.size());
    const Interval va = variance(a);
    const Interval vb = variance(b);
    const Interval difference = mean(a) - mean(b);
    const Interval one = point(1);
    if (pools) {
        const Interval freedom = na + nb - point(2);
        const Interval common = ((na - one) * va + (nb - one) * vb) / freedom;
        return {difference, common * (one / na + one / nb), freedom, exponent};
    }
    const Interval sa = va / na;
    const Interval sb = vb / nb;
    const Interval sum = sa + sb;
    return {difference, sum, sum * sum / (sa * sa / (na - one) + sb * sb / (nb - one)), exponent};
}

Scalar default_alpha() {
    const Interval decimal = numerics::enclose_decimal(usual_alpha);
    return {numerics::nearest(*numerics::read_rational(usual_alpha)), {decimal.lo, decimal.hi}, usual_alpha};
}

class TTest : public Prepared {
public:
    TTest(SampleSource a, SampleSource b, bool is_paired, bool pools, const Scalar& alpha)
        : a_(std::move(a)), b_(std::move(b)), is_paired_(is_paired), pools_(pools), alpha_(alpha) {}

    std::vector<std::string> needs() const override {
        std::vector<std::string> names = a_.needs();
        names.insert(names.end(), b_.needs().begin(), b_.needs().end());
        return names;
    }

    core::Result run(const Inputs& inputs) const override {
        const std::vector<Observation> as = observed(a_, inputs);
        const std::vector<Observation> bs = observed(b_, inputs);
        const EnclosedSample a = enclosed(as);
        const EnclosedSample b = enclosed(bs);
        if (is_paired_ && a.values.size() != b.values.size())
            refuse(b_.place(),
                   "samples of " + std::to_string(a.values.size()) + " and " + std::to_string(b.values.size()) +
                       " numbers",
                   "pairs");
        if (is_paired_ ? has_constant_difference(as, bs) : is_constant(as) && is_constant(bs))
            refuse(b_.place(), "samples without spread: t has no value", "values that differ");
        const Statistic statistic = is_paired_ ? paired(a, b) : unpaired(a, b, pools_);
        const core::Rigour rigour = std::min(a.rigour, b.rigour);
        core::Result result = report(statistic, rigour);
        if (rigour != core::Rigour::none) {
            state_origins(result.evidence, "a", as);
            state_origins(result.evidence, "b", bs);
        }
        return result;
    }

private:
    core::Result report(const Statistic& statistic, core::Rigour rigour) const {
        const auto known = [&](double number, const Interval& interval) {
            return statistic_cell(number, interval, rigour);
        };
        core::Result result;
        for (const char* name : {"t", "p", "df"}) result.set(name, core::Cell::missing());
        if (statistic.variance.lo > 0) {
            const Interval t = statistic.difference / numerics::sqrt(statistic.variance);
            const double freedom = numerics::midpoint(statistic.freedom);
            const double middle =
                numerics::midpoint(statistic.difference) / std::sqrt(numerics::midpoint(statistic.variance));
            result.set("t", known(middle, t));
            result.set("p", known(numerics::two_sided_p(middle, freedom), p_value(t, statistic.freedom)));
            result.set("df", known(freedom, statistic.freedom));
        } else {
            result.notes.emplace_back("spread", "not proven: the numbers may all be equal, and t has no value then");
        }
        const Interval difference = scaled(statistic.difference, -statistic.exponent);
        result.set("mean_difference", known(numerics::midpoint(difference), difference));
        result.set("sign", sign_of(*result.find("p"), difference));
        return result;
    }

    /// Does not exist if p may be above alpha.
    core::Cell sign_of(const core::Cell& p, const Interval& difference) const {
        if (!p.number) return core::Cell::missing();
        const double largest = p.enclosure ? p.enclosure->hi : *p.number;
        if (!(largest <= (p.enclosure ? alpha_.enclosure.lo : alpha_.number))) return core::Cell::missing();
        const double middle = numerics::midpoint(difference);
        core::Cell sign = core::Cell::of(middle > 0 ? 1 : middle < 0 ? -1 : 0);
        if (p.enclosure && !numerics::contains(difference, 0))
            sign = {sign.number, {}, core::Enclosure::exactly(*sign.number), p.rigour};
        return sign;
    }

    SampleSource a_;
    SampleSource b_;
    bool is_paired_;
    bool pools_;
    Scalar alpha_;
};

std::unique_ptr<Prepared> prepare_ttest(const Declaration& declaration, core::Problems& problems) {
    const std::size_t before = problems.reports();
    SampleSource a(declaration, "a", problems);
    SampleSource b(declaration, "b", problems);
    const bool is_paired = core::Settings(declaration.settings, ttest_keys).boolean("paired");
    const bool pools = core::Settings(declaration.settings, ttest_keys).boolean("equal_variances");
    if (is_paired && declaration.settings.find("equal_variances"))
        problems.add(place_of_key(declaration, "equal_variances"),
                     "'equal_variances' of paired samples, whose differences have one variance",
                     "paired = false, or no 'equal_variances'");
    const Scalar alpha = read_scalar(declaration, "alpha", problems).value_or(default_alpha());
    if (!(alpha.enclosure.lo > 0))
        problems.add(place_of_key(declaration, "alpha"), "'alpha' is 0", "a number above 0: p is never below it");
    if (problems.reports() == before && a.is_same(b))
        problems.add(b.place(), "a test of a sample against itself", "another sample");
    if (problems.reports() != before) return nullptr;
    return std::make_unique<TTest>(std::move(a), std::move(b), is_paired, pools, alpha);
}

}  // namespace

const Kind& ttest_kind() {
    static const Kind kind{"ttest",
                           "Student's t-test of two samples",
                           ttest_keys,
                           false,
                           prepare_ttest,
                           SearchRule::none,
                           {"p >= 0 and p <= 1 and p_holm >= p and p_holm <= 1 and sign >= -1 and sign <= 1 and sign "
                            "== floor(sign) and sign != 0 and df > 0"}};
    return kind;
}

}  // namespace farfield::quantity
