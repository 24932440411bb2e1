#include <farfield/quantity/safe_length.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include <farfield/core/diagnostic.hpp>
#include <farfield/formula/derivative.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/simplify.hpp>

#include "quantity/rotation_error.hpp"
#include "quantity/rounded.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using core::Enclosure;
using formula::Node;
using formula::Op;
using numerics::Interval;

constexpr long long most_exhaustive = 256;
constexpr std::size_t most_boxes = 20'000'000;

bool never() {
    return false;
}

const numerics::Format& format_named(std::string_view name) {
    if (const numerics::Format* found = numerics::find_format(name)) return *found;
    std::vector<std::string> known;
    for (const numerics::Format& format : numerics::formats()) known.emplace_back(format.name);
    throw core::UserError(
        {{{}, "unknown number format '" + std::string(name) + "'", {}, core::known_here(name, known)}});
}

Domain distances(const char* variable, long long count) {
    return Domain({Dimension{variable, true, {0, 1, static_cast<std::size_t>(count)}, {}}});
}

/// Answers of a judge of enclosures, points that stay open enclosed anew the slow way.
std::function<std::vector<Answer>(const std::vector<Box>&)> with_judge(
    const Domain& domain, const BoxFunction& function, std::function<Answer(const Enclosure&)> of_value) {
    return [&domain, &function, of_value = std::move(of_value)](const std::vector<Box>& boxes) {
        const std::vector<Enclosure> values = function.over(boxes, evaluate::Enclosing::fast);
        std::vector<Answer> answers;
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            Answer answer = of_value(values[i]);
            if (answer == Answer::unknown && domain.is_point(boxes[i]))
                answer = of_value(function.over({boxes[i]}, evaluate::Enclosing::rigorous).front());
            answers.push_back(answer);
        }
        return answers;
    };
}

/// The value of the first variable from which on a condition may hold, and whether it then does.
struct Crossing {
    long long at = 0;
    bool is_sure = true;
    std::string where;
};

std::optional<Crossing> crossing(const Node& tree, const Domain& domain,
                                 std::function<Answer(const Enclosure&)> of_value) {
    const BoxFunction function(tree, domain);
    const First first = find_first(domain, most_boxes, never, with_judge(domain, function, std::move(of_value)));
    const std::optional<Box>& box = first.unresolved ? first.unresolved : first.found;
    if (!box) return std::nullopt;
    const double at = domain.values(*box, 0).lo;
    return Crossing{static_cast<long long>(at), !first.unresolved,
                    domain.dimensions()[0].variable + " = " + text_of(at)};
}

std::string threshold_text(Limit limit, const numerics::Format& format) {
    const bool is_infinite = format.overflow == numerics::OverflowRule::infinity;
    if (limit == Limit::underflow) return text_of(numerics::smallest_subnormal(format) / 2);
    const double last = numerics::largest_finite(format);
    return (is_infinite ? "below " : "at most ") + text_of(last + (last - numerics::next_below(format, last)) / 2);
}

class Search {
public:
    Search(const scheme::Scheme& scheme, const scheme::Context& context, const numerics::Format& format,
           const SafeLengthOptions& options)
        : scheme_(scheme), context_(context), format_(format), options_(options) {
        context_.length = static_cast<double>(options.longest);
    }

    SafeLength run() {
        if (options_.rounds_positions && (scheme_.rotate || scheme_.bias || scheme_.embed)) see_collision();
        if (scheme_.rotate) see_rotation();
        if (scheme_.bias) see_biases();
        if (scheme_.rotate) see_rotation_error();
        if (scheme_.bias) see_bias_errors();
        return result();
    }

private:
    /// Keeps the least length of each reason.
    void keep(LimitFound found) {
        if (found.length >= options_.longest) return;
        const auto same = std::find_if(limits_.begin(), limits_.end(),
                                       [&](const LimitFound& other) { return other.limit == found.limit; });
        if (same == limits_.end())
            limits_.push_back(std::move(found));
        else if (found.length < same->length)
            *same = std::move(found);
    }

    long long shortest() const {
        long long length = options_.longest;
        for (const LimitFound& found : limits_) length = std::min(length, found.length);
        return length;
    }

    SafeLength result() {
        std::stable_sort(limits_.begin(), limits_.end(),
                         [](const LimitFound& a, const LimitFound& b) { return a.length < b.length; });
        SafeLength safe{scheme_.name, std::string(format_.name), options_.longest, false, Limit::none, limits_};
        if (limits_.empty()) return safe;
        safe.length = limits_.front().length;
        safe.is_longest = limits_.front().is_longest;
        safe.limit = limits_.front().limit;
        return safe;
    }

    /// Integers are numbers of the format up to 2^(m+1), and the next is not; where the format ends before, its end.
    void see_collision() {
        const double last =
            std::min(numerics::power_of_two(format_.mantissa_bits + 1), numerics::largest_finite(format_));
        const std::string formula = "2^" + std::to_string(format_.mantissa_bits + 1) + " + 1";
        const auto first = static_cast<long long>(last);
        keep({Limit::collision, first + 1, true,
              "positions " + std::to_string(first) + " and " + std::to_string(first + 1), formula});
    }

    double bound() const {
        // With both, each may take half.
        return scheme_.rotate && scheme_.bias ? options_.error_bound / 2 : options_.error_bound;
    }

    /// The scale as a function of the position p that counts from its origin.
    Node plain_scale() const {
        scheme::Scheme from_start = scheme_;
        from_start.rotate->origin = scheme::Origin::start;
        return scheme::scale_formula(from_start, context_);
    }

    void see_rotation() {
        const Node angle = scheme::angle_formula(scheme_, context_);
        const Node scale = plain_scale();
        const Node reciprocal = formula::make(Op::divide, {formula::make_number("1"), scale});
        const Node mirrored = formula::make(Op::negate, {formula::make_name("p")});
        for (int pair = 0; pair < turned_pairs(scheme_, context_); ++pair) {
            const auto at_pair = [&](const Node& tree) {
                return formula::substitute(tree, {{"i", formula::make_number(std::to_string(pair))}});
            };
            see_event(at_pair(angle), Limit::overflow, pair, scheme::Origin::start, 1);
            if (!scheme_.rotate->scale) continue;
            for (const Node& tree : {scale, reciprocal}) {
                for (const Limit limit : {Limit::overflow, Limit::underflow}) {
                    const scheme::Origin origin = scheme_.rotate->origin;
                    if (origin != scheme::Origin::end) see_event(at_pair(tree), limit, pair, origin, 1);
                    if (origin != scheme::Origin::start)
                        see_event(formula::substitute(at_pair(tree), {{"p", mirrored}}), limit, pair, origin, -1);
                }
            }
        }
    }

    /// With x the first offset from the origin (upwards or downwards) at which it happens: from the start, positions
    /// 0..x-1 are safe; from the centre they reach from -ceil(L/2) to floor(L/2) - 1; from the end down to -(L-1).
    void see_event(const Node& tree, Limit limit, int pair, scheme::Origin origin, int sign) {
        const Event event = limit == Limit::overflow ? Event::overflow : Event::underflow;
        const Domain domain = distances("p", options_.longest);
        const auto first = crossing(tree, domain, [&](const Enclosure& value) { return judge(event, format_, value); });
        if (!first) return;
        const bool is_centred = origin == scheme::Origin::centre;
        const long long length = !is_centred ? first->at : sign > 0 ? 2 * first->at + 1 : 2 * (first->at - 1);
        keep({limit, std::max(0LL, length), first->is_sure, first->where + ", i = " + std::to_string(pair),
              formula::print(formula::simplify(tree)) + " against " + threshold_text(limit, format_)});
    }

    /// Each head's bias as a function of n, if that is all it depends on, else of q and k.
    template <class Use>
    void for_each_bias(Use use) {
        Node last;
        for (double head = 1; head <= context_.heads; ++head) {
            scheme::Context context = context_;
            context.head = head;
            Node bias = scheme::bias_formula(scheme_, context);
            if (last && formula::equal(bias, last)) continue;
            last = bias;
            const bool is_relative = scheme::depends_on_distance_only(bias);
            if (is_relative)
                bias = formula::substitute(bias, {{"q", formula::make_name("n")}, {"k", formula::make_number("0")}});
            use(formula::simplify(bias), is_relative, "h = " + text_of(head));
        }
    }

    Domain bias_domain(bool is_relative, long long count) const {
        if (is_relative) return distances("n", count);
        const evaluate::Range range{0, 1, static_cast<std::size_t>(count)};
        return Domain({Dimension{"q", true, range, {}}, Dimension{"k", true, range, {}}});
    }

    void see_biases() {
        for_each_bias([&](const Node& bias, bool is_relative, const std::string& head) {
            const Domain domain = bias_domain(is_relative, options_.longest);
            const auto first =
                crossing(bias, domain, [&](const Enclosure& value) { return judge(Event::overflow, format_, value); });
            if (first)
                keep({Limit::overflow, first->at, first->is_sure && is_relative, first->where + ", " + head,
                      formula::print(bias) + " against " + threshold_text(Limit::overflow, format_)});
        });
    }

    void see_bias_errors() {
        for_each_bias([&](const Node& bias, bool is_relative, const std::string& head) {
            const Domain domain = bias_domain(is_relative, shortest());
            const auto first = crossing(bias, domain, [&](const Enclosure& value) { return judge_error(value); });
            if (first)
                keep({Limit::logit_error, first->at, first->is_sure && is_relative && !scheme_.rotate,
                      first->where + ", " + head, "half a unit of the last place of " + formula::print(bias)});
        });
    }

    Answer judge_error(const Enclosure& value) const {
        const double half = spacing(format_, magnitudes(value).hi) / 2;
        if (half <= bound()) return Answer::no;
        if (is_unknown(value)) return Answer::unknown;
        const double low = numerics::round_to(format_, value.lo);
        if (low != numerics::round_to(format_, value.hi)) return Answer::unknown;
        const Interval error = numerics::abs(numerics::point(low) - Interval{value.lo, value.hi});
        if (error.lo > bound()) return Answer::yes;
        return error.hi <= bound() ? Answer::no : Answer::unknown;
    }

    void see_rotation_error() {
        const int pairs = turned_pairs(scheme_, context_);
        if (pairs == 0) return;
        RoundedSteps steps;
        steps.positions = options_.rounds_positions;
        steps.frequencies = is_proportional(scheme::angle_formula(scheme_, context_));
        scheme::Scheme from_start = scheme_;
        from_start.rotate->origin = scheme::Origin::start;
        const RotationError error(from_start, context_, format_, steps);
        const long long longest = shortest();
        const long long exhaustive = std::min(longest, most_exhaustive);
        if (!see_every_pair(error, exhaustive) && exhaustive < longest) see_drift(error, exhaustive, longest);
    }

    /// Every query, every key before it; whether the bound was passed.
    bool see_every_pair(const RotationError& error, long long count) {
        using Turns = std::vector<RotationError::Turn>;
        std::vector<Turns> exact;
        std::vector<Turns> rounded;
        for (long long query = 0; query < count; ++query) {
            const auto q = static_cast<std::size_t>(query);
            exact.emplace_back();
            rounded.emplace_back();
            for (int pair = 0; pair < error.pairs(); ++pair) {
                exact[q].push_back(error.exact(static_cast<double>(query), pair));
                rounded[q].push_back(error.rounded(static_cast<double>(query), pair));
            }
            Interval worst{0, 0};
            std::string where;
            for (std::size_t k = 0; k <= q; ++k) {
                for (std::size_t i = 0; i < exact[q].size(); ++i) {
                    const Interval found =
                        RotationError::between(exact[q][i], rounded[q][i], exact[k][i], rounded[k][i]);
                    if (found.hi <= worst.hi) continue;
                    worst = found;
                    where = "q = " + std::to_string(q) + ", k = " + std::to_string(k) + ", i = " + std::to_string(i);
                }
            }
            if (worst.hi <= bound()) continue;
            const bool is_sure = worst.lo > bound() && !scheme_.bias && scheme_.rotate->origin == scheme::Origin::start;
            keep({Limit::logit_error, query, is_sure, where,
                  "|conj(u~) v~ - conj(u) v| = " + text_of(numerics::midpoint(worst))});
            return true;
        }
        return false;
    }

    /// |conj(u~) v~ - conj(u) v| <= s(q)/s(k) ((1 + drift of q)(1 + drift of k) - 1), for all k up to q.
    void see_drift(const RotationError& error, long long first, long long longest) {
        const auto pairs = static_cast<std::size_t>(error.pairs());
        std::vector<double> largest(pairs, 0);
        std::vector<double> ratios;
        for (std::size_t i = 0; i < pairs; ++i) ratios.push_back(largest_ratio(static_cast<int>(i), longest));
        for (long long position = 0; position < longest; ++position) {
            for (std::size_t i = 0; i < pairs; ++i) {
                const double drift = error.drift(static_cast<double>(position), static_cast<int>(i));
                largest[i] = std::max(largest[i], drift);
                const double reached = ratios[i] * ((1 + drift) * (1 + largest[i]) - 1) * (1 + 1e-12);
                if (position < first || reached <= bound()) continue;
                keep({Limit::logit_error, position, false,
                      "p = " + std::to_string(position) + ", i = " + std::to_string(i),
                      "(1 + |delta| + 2^-" + text_of(format_.mantissa_bits + 1.5) +
                          ")^2 - 1, delta the error of the angle"});
                return;
            }
        }
    }

    /// The largest s(q)/s(k) with k <= q: 1 where the scale does not rise.
    double largest_ratio(int pair, long long longest) const {
        if (!scheme_.rotate->scale) return 1;
        const Node scale = formula::substitute(plain_scale(), {{"i", formula::make_number(std::to_string(pair))}});
        const bool is_from_start = scheme_.rotate->origin == scheme::Origin::start;
        const double reach = static_cast<double>(longest);
        const Domain domain({Dimension{"p", false, {}, {is_from_start ? 0 : -reach, reach}}});
        const auto whole = [&](const Node& tree) {
            return BoxFunction(tree, domain).over({domain.whole()}, evaluate::Enclosing::rigorous).front();
        };
        const Enclosure slope = whole(formula::derivative(scale, "p"));
        if (is_continuous(scale, {"p"}) && slope.hi <= 0) return 1;
        const Enclosure values = whole(scale);
        return values.lo > 0 ? values.hi / values.lo * (1 + 1e-15) : std::numeric_limits<double>::infinity();
    }

    const scheme::Scheme& scheme_;
    scheme::Context context_;
    const numerics::Format& format_;
    SafeLengthOptions options_;
    std::vector<LimitFound> limits_;
};

}  // namespace

std::string_view limit_name(Limit limit) {
    constexpr std::array<std::string_view, 5> names = {"none", "position collision", "overflow", "underflow",
                                                       "logit error"};
    return names[static_cast<std::size_t>(limit)];
}

SafeLength safe_length(const scheme::Scheme& scheme, const scheme::Context& context, std::string_view format,
                       const SafeLengthOptions& options) {
    return Search(scheme, context, format_named(format), options).run();
}

}  // namespace farfield::quantity
