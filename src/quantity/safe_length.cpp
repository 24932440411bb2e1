#include <fmt/format.h>

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
#include <farfield/scheme/recipe.hpp>

#include "quantity/drift_search.hpp"
#include "quantity/rotation_error.hpp"
#include "quantity/rounded.hpp"
#include "quantity/safe_length_pieces.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using core::Enclosure;
using formula::Node;
using formula::Op;
using numerics::Interval;

/// If cosines are coarser than angles, millions of pairs of positions come near the bound, and none exceeds it for a
/// long time.
constexpr long long most_recipe_keys = 1'000'000;

const numerics::Format& format_named(std::string_view name) {
    if (const numerics::Format* found = numerics::find_format(name)) return *found;
    std::vector<std::string> known;
    for (const numerics::Format& format : numerics::formats()) known.emplace_back(format.name);
    throw core::UserError(
        {{{}, "unknown number format '" + std::string(name) + "'", {}, core::known_here(name, known)}});
}

/// The threshold below which a magnitude must stay to be a finite number (it may reach the threshold if the format's
/// last number is even), or above which it must stay so as not to become zero.
double threshold_of(Limit limit, const numerics::Format& format) {
    if (limit == Limit::underflow) return numerics::smallest_subnormal(format) / 2;
    const double last = numerics::largest_finite(format);
    return last + (last - numerics::next_below(format, last)) / 2;
}

/// The formula of the value at which a formula of the variable (or its reciprocal, or at minus the variable) reaches
/// the threshold; solved if it is linear or geometric.
std::string formula_of(const Node& tree, const char* variable, int direction, Limit limit,
                       const numerics::Format& format) {
    const std::string threshold = text_of(threshold_of(limit, format));
    const std::string one = formula::print(at_one(tree, variable));
    const std::string name(variable);
    if (direction > 0 && is_linear(tree, formula::defined(tree), variable))
        return name + " = " + threshold + (one == "1" || one == "-1" ? "" : "/abs(" + one + ")");
    if (is_geometric(tree, variable))
        return name + " = " + (direction > 0 ? "" : "-") + "log(" + threshold + ")/log(" + one + ")";
    return formula::print(formula::simplify(tree)) + " = " + threshold;
}

class LengthSearch {
public:
    /// Searches for a scheme in exact numbers; without a recipe, each step is rounded to the format.
    LengthSearch(std::vector<ExactPieces>& heads, std::string_view format, std::optional<scheme::Recipe> recipe,
                 const SafeLengthOptions& options)
        : heads_(heads),
          exact_(&heads.front()),
          scheme_(heads.front().scheme()),
          format_(format),
          recipe_(std::move(recipe)),
          options_(options) {
        steps_ = recipe_ ? RoundedSteps::of(*recipe_) : RoundedSteps::all(format_named(format));
        if (!options.rounds_positions) steps_.positions = nullptr;
    }

    SafeLength run() {
        const bool embeds = scheme_.embed && !scheme_.embed->learned;
        if (steps_.positions && (scheme_.rotate || scheme_.bias || embeds)) see_collision();
        if (scheme_.embed && scheme_.embed->learned) see_table();
        for (ExactPieces& head : heads_) {
            exact_ = &head;
            if (scheme_.temperature) see_temperature();
            if (scheme_.rotate) see_rotation();
            if (scheme_.bias) see_biases();
            if (scheme_.bias) see_bias_errors();
            if (scheme_.rotate) see_rotation_errors();
        }
        return result();
    }

private:
    /// Keeps the smallest length for each reason.
    void keep(LimitFound found) {
        if (found.length >= options_.longest) return;
        const auto same = std::find_if(limits_.begin(), limits_.end(),
                                       [&](const LimitFound& other) { return other.limit == found.limit; });
        if (same == limits_.end())
            limits_.push_back(std::move(found));
        else if (found.length < same->length || (found.length == same->length && found.is_longest && !same->is_longest))
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
        SafeLength safe{scheme_.name, format_, options_.longest, false, Limit::none, limits_};
        if (limits_.empty()) return safe;
        safe.length = limits_.front().length;
        safe.is_longest = limits_.front().is_longest;
        safe.limit = limits_.front().limit;
        return safe;
    }

    /// Integers are numbers of the format up to 2^(m+1), and the next one is not; if the format ends before, up to its
    /// end.
    void see_collision() {
        const numerics::Format& format = *steps_.positions;
        const double last =
            std::min(numerics::power_of_two(format.mantissa_bits + 1), numerics::largest_finite(format));
        const std::string formula = "2^" + std::to_string(format.mantissa_bits + 1) + " + 1";
        const auto first = static_cast<long long>(last);
        keep({Limit::collision, first + 1, true,
              "positions " + std::to_string(first) + " and " + std::to_string(first + 1), formula});
    }

    /// The end of a learned table.
    void see_table() {
        const long long length = scheme_.embed->max_length;
        keep({Limit::table_end, length, true, "position " + std::to_string(length), "max_length"});
    }

    Node temperature() const { return scheme::in_context(scheme_, *scheme_.temperature, context(), "1"); }

    /// Queries are not safe if their temperature is not known to have a value.
    void see_temperature() {
        const Node tree = temperature();
        const auto first =
            crossing(tree, formula::defined(tree), distances("q", 0, options_.longest),
                     [](const Enclosure& value) { return is_unknown(value) ? Answer::unknown : Answer::no; });
        if (first)
            keep({Limit::logit_error, first->at, false,
                  first->where + exact_->head_text() + ", where the temperature has no value", ""});
    }

    /// The allowed error of the rotation or the bias; of two pieces, each may use half of the bound.
    double share() const { return scheme_.rotate && scheme_.bias ? options_.error_bound / 2 : options_.error_bound; }

    /// The allowed error of the rotation, whose products the temperature multiplies, but not the bias.
    Enclosure rotation_bound() const {
        if (!scheme_.temperature) return Enclosure::exactly(share());
        const double last = static_cast<double>(std::max(1LL, shortest()) - 1);
        const Domain domain({Dimension{"q", false, {}, {0, last}}});
        const Enclosure size = magnitudes(
            BoxFunction(temperature(), domain).over({domain.whole()}, evaluate::Enclosing::rigorous).front());
        const Interval bound = numerics::point(share()) / Interval{std::max(size.lo, 1e-300), size.hi};
        return {bound.lo, bound.hi};
    }

    /// The scale as a function of the position p, counted from its origin.
    Node plain_scale() const {
        scheme::Scheme from_start = scheme_;
        from_start.rotate->origin = scheme::Origin::start;
        return scheme::scale_formula(from_start, context());
    }

    Node at_pair(const Node& tree, int pair) const {
        return formula::substitute(tree, {{"i", formula::make_number(std::to_string(pair))}});
    }

    const scheme::Context& context() const { return exact_->context(); }

    const ExactRotation& rotation() const { return *exact_->rotation(); }

    void see_rotation() {
        const Factors factors = steps_.angles ? exact_->factors(steps_) : Factors();
        const double last = largest_rounded(options_.longest, steps_.positions);
        const Enclosure angles{0, std::max(rotation().largest_angle(last), factors.largest_angle(last))};
        const bool has_near = !rotation().far || exact_->distances_of_far().second >= 0;
        const bool may_overflow =
            has_near && steps_.angles && judge(Event::overflow, *steps_.angles, angles) != Answer::no;
        const bool has_scale = scheme_.rotate->scale && steps_.scale;
        if (rotation().far) see_far_condition();
        if (rotation().far && steps_.angles) see_far_angles(factors);
        for (int pair = 0; (may_overflow || has_scale) && pair < rotation().pairs; ++pair) {
            if (may_overflow) {
                const Node angle = factors.angle(formula::make_name("p"), pair);
                const Offsets offsets{angle ? angle : at_pair(rotation().angle_formula, pair), pair};
                auto first = first_event(offsets.tree, Event::overflow, *steps_.angles, options_.longest);
                if (first && !angle && !factors.of_pairs.empty()) first->is_sure = false;
                keep_event(offsets, Limit::overflow, *steps_.angles, first);
            }
            if (!has_scale) continue;
            const numerics::Format& format = *steps_.scale;
            for (const Offsets& each : scales_of(pair)) {
                const auto overflow = first_event(each.tree, Event::overflow, format, options_.longest);
                keep_event(each, Limit::overflow, format, overflow);
                // Beyond an overflow, nothing can vanish.
                const long long end = overflow ? overflow->at : options_.longest;
                keep_event(each, Limit::underflow, format, first_event(each.tree, Event::underflow, format, end));
            }
        }
    }

    /// A pair is not safe if it is unknown whether it is a far pair.
    void see_far_condition() {
        const Node far = formula::make(
            Op::select, {rotation().far->formulas.where, formula::make_number("1"), formula::make_number("0")});
        if (formula::defined(far).is_always()) return;
        const bool is_relative = scheme::depends_on_distance_only(far);
        const Node tree =
            !is_relative ? far
                         : formula::substitute(far, {{"q", formula::make_name("n")}, {"k", formula::make_number("0")}});
        const auto first =
            crossing(tree, formula::defined(tree), bias_domain(is_relative, options_.longest),
                     [](const Enclosure& value) { return is_unknown(value) ? Answer::unknown : Answer::no; });
        if (first)
            keep({Limit::logit_error, first->at, false,
                  first->where + exact_->head_text() + ", where the condition of far pairs has no value", ""});
    }

    /// Queries have far keys from the smallest far distance on, and a key k is first far for the query at k plus that
    /// distance.
    void see_far_angles(const Factors& factors) {
        const scheme::FarFormulas& far = rotation().far->formulas;
        const long long least = exact_->distances_of_far().first;
        const numerics::Format& format = *steps_.angles;
        for (int pair = 0; pair < rotation().pairs; ++pair) {
            const auto keep_first = [&](const char* name, const Node& exact, const Node& position,
                                        long long first_token, long long ahead) {
                const long long count = options_.longest - first_token - ahead;
                if (count <= 0) return;
                const Domain tokens = distances("p", first_token, count);
                auto judged = factors.overflow(steps_, pair);
                const Node tree = judged ? position : at_pair(exact, pair);
                const bool is_known = are_far_known() && (judged || factors.of_pairs.empty());
                if (!judged) judged = [&](const Enclosure& value) { return judge(Event::overflow, format, value); };
                const std::optional<Crossing> found = crossing(tree, formula::defined(tree), tokens, judged);
                if (found)
                    keep({Limit::overflow, found->at + ahead, found->is_sure && is_known,
                          fmt::format("p of a far {} = {}, i = {}", name, found->at, pair) + exact_->head_text(), ""});
            };
            keep_first("query", far.query, rotation().far->query_position, least, 0);
            keep_first("key", far.key, rotation().far->key_position, 0, least);
        }
    }

    bool are_far_known() { return exact_->distances_of_far().second < exact_->distances_of_far().first; }

    std::vector<DriftPart> parts() {
        if (!rotation().far) return {DriftPart{}};
        const auto [far, near] = exact_->distances_of_far();
        std::vector<DriftPart> list;
        if (near >= 0) list.push_back({nullptr, nullptr, false, 0, near, 0, far - 1});
        if (far < options_.longest)
            list.push_back({rotation().far->query, rotation().far->key, true, far, DriftPart::no_end, near + 1});
        return list;
    }

    /// A pair's number as a function of the distance p from an origin, upwards (1) or downwards (-1).
    struct Offsets {
        Node tree;
        int pair = 0;
        scheme::Origin origin = scheme::Origin::start;
        int sign = 1;
        Node plain = tree;  ///< the angle or the scale as a function of the position
        int direction = 1;  ///< -1 if the tree is its reciprocal or is evaluated at -p, but not both
    };

    /// The scale and its reciprocal, in all directions of positions from the origin.
    std::vector<Offsets> scales_of(int pair) const {
        const scheme::Origin origin = scheme_.rotate->origin;
        const Node scale = at_pair(plain_scale(), pair);
        const Node mirrored = formula::make(Op::negate, {formula::make_name("p")});
        std::vector<Offsets> list;
        for (const int power : {1, -1}) {
            const Node tree = power > 0 ? scale : formula::make(Op::divide, {formula::make_number("1"), scale});
            if (origin != scheme::Origin::end) list.push_back({tree, pair, origin, 1, scale, power});
            if (origin != scheme::Origin::start)
                list.push_back({formula::substitute(tree, {{"p", mirrored}}), pair, origin, -1, scale, -power});
        }
        return list;
    }

    std::optional<Crossing> first_event(const Node& tree, Event event, const numerics::Format& format,
                                        long long count) const {
        if (count <= 0) return std::nullopt;
        return crossing_of_rounded(tree, formula::defined(tree), distances("p", 0, count), steps_.positions,
                                   [&](const Enclosure& value) { return judge(event, format, value); });
    }

    /// With x the first offset at which it happens: from the start, positions 0..x-1 are safe; from the centre they
    /// reach from -ceil(L/2) to floor(L/2) - 1; from the end down to -(L-1).
    static long long length_up_to(const Offsets& offsets, long long offset) {
        const bool is_centred = offsets.origin == scheme::Origin::centre;
        return std::max(0LL, !is_centred ? offset : offsets.sign > 0 ? 2 * offset + 1 : 2 * (offset - 1));
    }

    void keep_event(const Offsets& offsets, Limit limit, const numerics::Format& format,
                    const std::optional<Crossing>& first) {
        if (!first) return;
        const bool is_start = offsets.origin == scheme::Origin::start;
        const std::string at = "p from the origin = " + text_of(static_cast<double>(offsets.sign * first->at));
        keep({limit, length_up_to(offsets, first->at), first->is_sure,
              (is_start ? first->where : at) + ", i = " + std::to_string(offsets.pair) + exact_->head_text(),
              formula_of(offsets.plain, "p", offsets.direction, limit, format)});
    }

    Domain bias_domain(bool is_relative, long long count) const {
        if (is_relative) return distances("n", 0, count);
        const numerics::Progression range(0, 1, static_cast<std::uint64_t>(count));
        return Domain({Dimension{"q", true, range}, Dimension{"k", true, range}});
    }

    void see_biases() {
        if (!steps_.bias) return;
        const auto overflows = [&](const Enclosure& value) { return judge(Event::overflow, *steps_.bias, value); };
        for (const HeadBias& bias : exact_->biases()) {
            const double largest = bias.slope * largest_rounded(options_.longest, steps_.positions) * (1 + 1e-15);
            if (bias.slope >= 0 && overflows({0, largest}) == Answer::no) continue;
            const auto first =
                crossing_of_rounded(bias.tree, bias.has_value, bias_domain(bias.is_relative, options_.longest),
                                    steps_.positions, overflows);
            if (first)
                keep({Limit::overflow, first->at, first->is_sure && bias.is_relative, first->where + ", " + bias.head,
                      formula_of(bias.tree, "n", 1, Limit::overflow, *steps_.bias)});
        }
    }

    void see_bias_errors() {
        if (!steps_.bias) return;
        const Enclosure most = Enclosure::exactly(share());
        for (const HeadBias& bias : exact_->biases()) {
            const long long first = exact_distances(bias), length = shortest();
            if (first >= length) continue;
            const double largest = bias.slope * static_cast<double>(length) * (1 + 1e-15);
            if (bias.slope >= 0 && spacing(*steps_.bias, largest) / 2 <= most.lo) continue;
            const Domain domain =
                first > 0 ? distances("n", first, length - first) : bias_domain(bias.is_relative, length);
            const auto found = crossing(bias.tree, bias.has_value, domain,
                                        [&](const Enclosure& value) { return judge_error(value, most); });
            if (found)
                keep({Limit::logit_error, found->at, found->is_sure && bias.is_relative && !scheme_.rotate,
                      found->where + ", " + bias.head,
                      "half a unit of the last place of " + formula::print(bias.tree)});
        }
    }

    /// A bias that is n times a power of two is a number of the format whenever n is, that is for 0 .. 2^(m+1). 0 for
    /// other biases.
    long long exact_distances(const HeadBias& bias) const {
        if (!bias.is_power || bias.slope < numerics::smallest_subnormal(*steps_.bias)) return 0;
        return static_cast<long long>(numerics::power_of_two(steps_.bias->mantissa_bits + 1));
    }

    Answer judge_error(const Enclosure& value, const Enclosure& most) const {
        const double half = spacing(*steps_.bias, magnitudes(value).hi) / 2;
        if (half <= most.lo) return Answer::no;
        if (is_unknown(value)) return Answer::unknown;
        const double low = numerics::round_to(*steps_.bias, value.lo);
        if (low != numerics::round_to(*steps_.bias, value.hi)) return Answer::unknown;
        const Interval error = numerics::abs(numerics::point(low) - Interval{value.lo, value.hi});
        if (error.lo > most.hi) return Answer::yes;
        return error.hi <= most.lo ? Answer::no : Answer::unknown;
    }

    void see_rotation_errors() {
        const int pairs = rotation().pairs;
        if (pairs == 0) return;
        RoundedSteps steps = steps_;
        if (!rotation().is_proportional) steps.frequencies = nullptr;
        // Integers that are numbers of the format are not rounded.
        if (steps.positions && !rotation().far &&
            static_cast<double>(shortest()) <= numerics::power_of_two(steps.positions->mantissa_bits + 1))
            steps.positions = nullptr;
        const bool is_from_start = scheme_.rotate->origin == scheme::Origin::start;
        DriftQuestion question{rotation_bound(),
                               shortest(),
                               is_from_start || !scheme_.rotate->scale,
                               steps.scale ? numerics::power_of_two(-steps.scale->mantissa_bits - 1) : 0,
                               {},
                               {}};
        if (recipe_ || rotation().far) question.most_keys = most_recipe_keys;
        question.parts = parts();
        for (int pair = 0; pair < pairs; ++pair) {
            question.ratios.push_back(largest_ratio(pair, question.longest));
            question.normals.push_back(normal_length(pair, question.longest));
        }
        if (!question.is_exact) question.longest = *std::min_element(question.normals.begin(), question.normals.end());
        const std::optional<Drifted> found = exact_->drift(steps, question);
        if (!found && question.longest < shortest())
            keep({Limit::logit_error, question.longest, false, "a scale below the normal numbers", ""});
        if (!found) return;
        const std::string key = found->key < 0 ? "" : ", k = " + std::to_string(found->key);
        const Node angle = at_pair(rotation().angle_formula, found->pair);
        const bool is_far = question.parts[found->part].is_far;
        keep({Limit::logit_error, found->query, found->is_sure && !scheme_.bias,
              "q = " + std::to_string(found->query) + key + ", i = " + std::to_string(found->pair) +
                  exact_->head_text() + (is_far ? ", far" : ""),
              steps.frequencies ? drift_text(is_far) + ", delta(p) = " + rounded_angle_text() +
                                      " - p*f, f = " + formula::print(at_one(angle, "p"))
                                : ""});
    }

    /// The difference of the angle errors of a query and a key, each at the position at which it is rotated.
    std::string drift_text(bool is_far) {
        const auto position = [&](const Node& formula, const char* name) {
            return formula::print(formula::simplify(formula::substitute(formula, {{"p", formula::make_name(name)}})));
        };
        const auto of = [&](const Node& formula, const char* name) { return "delta(" + position(formula, name) + ")"; };
        const Node own = formula::make_name("p");
        return "abs(" + of(is_far ? rotation().far->query_position : own, "q") + " - " +
               of(is_far ? rotation().far->key_position : own, "k") + ")";
    }

    std::string rounded_angle_text() const {
        if (!recipe_) return "round(p*round(f))";
        const auto text = [](const Node& angle, const Node& position, const Node& frequency) {
            const Node product = formula::make(Op::multiply, {position, frequency});
            return formula::print(formula::substitute(angle, {{"it", product}, {"frequency", frequency}}));
        };
        return text(recipe_->angle, recipe_->position, recipe_->frequency);
    }

    /// Lengths up to which a pair's scale and reciprocal are normal numbers of the format.
    long long normal_length(int pair, long long longest) const {
        if (!scheme_.rotate->scale || !steps_.scale) return longest;
        for (const Offsets& each : scales_of(pair))
            if (const auto first = first_event(each.tree, Event::subnormal, *steps_.scale, longest))
                longest = std::min(longest, length_up_to(each, first->at));
        return longest;
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
        const Enclosure slope =
            BoxSlope(scale, "p", domain).over({domain.whole()}, evaluate::Enclosing::rigorous).front();
        const Enclosure values = whole(scale);
        // A number that falls below zero grows in magnitude.
        if (slope.hi <= 0 && values.lo > 0) return 1;
        return values.lo > 0 ? values.hi / values.lo * (1 + 1e-15) : std::numeric_limits<double>::infinity();
    }

    std::vector<ExactPieces>& heads_;
    ExactPieces* exact_;  ///< of the current head, or of all heads
    const scheme::Scheme& scheme_;
    std::string format_;
    std::optional<scheme::Recipe> recipe_;
    RoundedSteps steps_;
    SafeLengthOptions options_;
    std::vector<LimitFound> limits_;
};

}  // namespace

std::string_view limit_name(Limit limit) {
    constexpr std::array<std::string_view, 6> names = {"none",     "position collision", "end of the table",
                                                       "overflow", "underflow",          "logit error"};
    return names[static_cast<std::size_t>(limit)];
}

SafeLength safe_length(const scheme::Scheme& scheme, const scheme::Context& context, std::string_view format,
                       const SafeLengthOptions& options) {
    std::optional<scheme::Recipe> recipe;
    if (!scheme.recipe.empty()) recipe = scheme::find_recipe(scheme.recipe, scheme.format);
    if (const auto problem = values_problem(scheme, {})) throw core::UserError({*problem});
    std::vector<ExactPieces> heads = pieces_of_heads(scheme::without_recipe(scheme), context, options.longest);
    return LengthSearch(heads, format, recipe, options).run();
}

std::vector<SafeLength> safe_lengths(const scheme::Scheme& scheme, const scheme::Context& context,
                                     const std::vector<scheme::Recipe>& recipes, std::string_view format,
                                     const SafeLengthOptions& options) {
    std::vector<ExactPieces> heads = pieces_of_heads(scheme::without_recipe(scheme), context, options.longest);
    std::vector<SafeLength> lengths;
    lengths.reserve(recipes.size());
    for (const scheme::Recipe& recipe : recipes) lengths.push_back(LengthSearch(heads, format, recipe, options).run());
    return lengths;
}

}  // namespace farfield::quantity
