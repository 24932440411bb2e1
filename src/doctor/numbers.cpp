// Frequencies, and the numbers that follow from them.
#include <algorithm>
#include <cmath>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/quantity/safe_length.hpp>
#include <farfield/quantity/scheme_values.hpp>
#include <farfield/scheme/recipe.hpp>

#include "doctor/resolve.hpp"
#include "doctor/schemes.hpp"
#include "quantity/attention_resolution.hpp"

namespace farfield::doctor {

namespace {

constexpr double two_pi = 6.283185307179586;

/// The angles at position 1.
std::vector<double> frequencies(const scheme::Scheme& scheme, const scheme::Context& context) {
    return quantity::rotation_at(scheme, context, evaluate::Range{1, 1, 1}).angle;
}

/// The weight of the unscaled frequency in frequency = unscaled * (kept + (1 - kept)/factor).
double kept_of(double unscaled, double frequency, double factor) {
    if (!(factor > 1)) return 1;
    return std::clamp((frequency / unscaled - 1 / factor) / (1 - 1 / factor), 0.0, 1.0);
}

/// sum_i cos(n f_i) - cos(n g_i) over distances; without `other`, only the first sum.
std::vector<double> cosine_sums(const std::vector<double>& frequency, long long first, std::size_t count) {
    static const formula::Program program =
        formula::compile(formula::parse(std::string("sum(i, 0, m, cos(n*f[i]))")), {{"m"}, {"n"}, {"f"}});
    evaluate::Inputs inputs;
    inputs.uniform = {static_cast<double>(frequency.size()) - 1};
    inputs.varying = {evaluate::Range{static_cast<double>(first), 1, count}};
    inputs.tables = {frequency};
    inputs.points = count;
    return evaluate::evaluate(program, inputs);
}

std::optional<long long> first_negative(const std::vector<double>& frequency, long long longest) {
    std::size_t count = 1024;
    for (long long first = 1; first <= longest; first += static_cast<long long>(count)) {
        if (first > 1) count = 16384;
        const auto here = std::min(count, static_cast<std::size_t>(longest - first + 1));
        const std::vector<double> sums = cosine_sums(frequency, first, here);
        // Sums that are this near to 0 are not distinguished from it.
        const double error = 1e-9 * static_cast<double>(frequency.size());
        const auto found = std::find_if(sums.begin(), sums.end(), [&](double sum) { return sum < -error; });
        if (found != sums.end()) return first + (found - sums.begin());
    }
    return {};
}

/// Attention resolution over distances below `longest`, as far as it is computed.
void find_resolution(Positions& positions, const std::vector<double>& frequency, long long longest) {
    constexpr long long most = 8192;
    const long long count = std::min(longest, most);
    if (count < 2) return;
    std::vector<double> scores = cosine_sums(frequency, 0, static_cast<std::size_t>(count) + 1);
    const double scale = positions.attention_factor * positions.attention_factor *
                         std::sqrt(static_cast<double>(positions.head_dim)) / static_cast<double>(frequency.size());
    const auto last = static_cast<std::size_t>(count) - 1;
    const quantity::Resolution found =
        quantity::resolution({.scores = evaluate::Array(std::move(scores)), .scale = scale, .N = last, .last = last});
    positions.resolution = found.value.number;
    positions.resolution_distances = count;
}

/// The names of all recipes, with the requested one first.
std::vector<std::string> recipes_from(const std::string& first) {
    std::vector<std::string> names = scheme::recipe_names();
    std::erase(names, first);
    names.insert(names.begin(), first);
    return names;
}

void find_safe_lengths(Layer& layer, const Options& options, long long served) {
    quantity::SafeLengthOptions limits;
    limits.longest = std::min(served, most_searched);
    const std::string format = options.format.empty() ? "fp32" : options.format;
    std::vector<RecipeLength>& lengths = layer.positions.safe_lengths;
    std::vector<scheme::Recipe> recipes;
    for (const std::string& name : recipes_from(options.recipe)) {
        lengths.push_back({name, {}, false, {}, {}});
        if (name != each_step_in_format) recipes.push_back(scheme::find_recipe(name, format));
    }
    const std::vector<std::optional<scheme::Misfit>> unfit = scheme::misfits(layer.scheme, recipes);
    std::vector<scheme::Recipe> fitting;
    // Rounding each step to the format is not a recipe, and comes first if it is requested.
    const std::size_t before = lengths.size() - recipes.size();
    for (std::size_t i = 0; i < recipes.size(); ++i) {
        if (unfit[i])
            lengths[before + i].refusal = unfit[i]->found;
        else
            fitting.push_back(recipes[i]);
    }
    std::vector<quantity::SafeLength> found =
        quantity::safe_lengths(layer.scheme, layer.context, fitting, format, limits);
    if (options.recipe == each_step_in_format)
        found.insert(found.begin(), quantity::safe_length(layer.scheme, layer.context, format, limits));
    auto next = found.begin();
    for (RecipeLength& each : lengths) {
        if (!each.refusal.empty()) continue;
        each.length = next->length;
        each.is_longest = next->is_longest;
        each.limit = quantity::limit_name(next->limit);
        ++next;
    }
    layer.positions.safe_length = lengths.front().length;
}

}  // namespace

void compute_numbers(Layer& layer, const Options& options, std::optional<long long> served) {
    Positions& positions = layer.positions;
    if (layer.scheme.name.empty()) return;
    const long long longest = served.value_or(0);
    if (layer.scheme.rotate) {
        scheme::Context context = layer.context;
        if (!(context.length > 0)) context.length = 1;
        const std::vector<double> frequency = frequencies(layer.scheme, context);
        const scheme::Scheme plain =
            scheme_named("rotary", {{"base", formula::make_number(layer.base)->text}}, frequency.size());
        const std::vector<double> unscaled = frequencies(plain, context);
        const double trained = static_cast<double>(positions.trained.value_or(0));
        positions.pair_numbers.reserve(frequency.size());
        for (std::size_t i = 0; i < frequency.size(); ++i) {
            Pair pair;
            pair.unscaled = unscaled[i];
            pair.frequency = frequency[i];
            pair.wavelength = two_pi / frequency[i];
            pair.trained_turns = trained * unscaled[i] / two_pi;
            pair.served_turns = static_cast<double>(longest) * frequency[i] / two_pi;
            pair.kept = kept_of(unscaled[i], frequency[i], layer.factor);
            positions.pair_numbers.push_back(pair);
        }
        const long long seen = positions.window > 0 ? std::min(longest, positions.window) : longest;
        positions.first_negative = first_negative(frequency, std::min(seen, most_searched));
        find_resolution(positions, frequency, seen);
    }
    if (options.safe_length && longest > 0) find_safe_lengths(layer, options, longest);
}

Positions under_scheme(const Layer& layer, const scheme::Scheme& scheme) {
    scheme::Context context = layer.context;
    if (!(context.length > 0)) context.length = 1;
    Positions positions;
    positions.attention_factor = layer.positions.attention_factor;
    positions.softmax_factor = layer.positions.softmax_factor;
    for (const double frequency : frequencies(scheme, context)) {
        positions.pair_numbers.emplace_back();
        positions.pair_numbers.back().frequency = frequency;
    }
    return positions;
}

LogitDifference logit_difference(const Positions& a, const Positions& b, long long length) {
    LogitDifference difference;
    const std::vector<double> f = a.inv_freq(), g = b.inv_freq();
    if (f.empty() || g.empty()) return difference;
    const double scale_a = a.logit_factor() / static_cast<double>(f.size());
    const double scale_b = b.logit_factor() / static_cast<double>(g.size());
    constexpr long long at_once = 16384, most = 1 << 18;
    long long next = 1;
    for (long long first = 0; first < std::min(length, most); first += at_once) {
        const auto count = static_cast<std::size_t>(std::min(at_once, std::min(length, most) - first));
        const std::vector<double> x = cosine_sums(f, first, count), y = cosine_sums(g, first, count);
        for (std::size_t i = 0; i < count; ++i) {
            const double here = scale_a * x[i] - scale_b * y[i];
            const long long distance = first + static_cast<long long>(i);
            if (distance == next) {
                difference.by_distance.emplace_back(distance, here);
                next *= 2;
            }
            if (std::abs(here) > std::abs(difference.largest)) {
                difference.largest = here;
                difference.distance = distance;
            }
        }
    }
    return difference;
}

std::vector<long long> figure_distances(long long length) {
    constexpr int points = 400;
    std::vector<long long> distances{0};
    const auto last = static_cast<double>(length - 1);
    for (int i = 0; i < points; ++i)
        if (const long long next = std::llround(std::pow(last, i / (points - 1.0)));
            next > distances.back() && next < length)
            distances.push_back(next);
    return distances;
}

std::vector<double> logits_at(const Positions& positions, const std::vector<long long>& distances) {
    std::vector<double> logits;
    const std::vector<double> frequency = positions.inv_freq();
    if (frequency.empty()) return logits;
    logits.reserve(distances.size());
    const double scale = positions.logit_factor() / static_cast<double>(frequency.size());
    for (const long long distance : distances) {
        double sum = 0;
        for (const double each : frequency) sum += std::cos(static_cast<double>(distance) * each);
        logits.push_back(scale * sum);
    }
    return logits;
}

std::vector<double> Positions::inv_freq() const {
    std::vector<double> list;
    list.reserve(pair_numbers.size());
    for (const Pair& pair : pair_numbers) list.push_back(pair.frequency);
    return list;
}

}  // namespace farfield::doctor
