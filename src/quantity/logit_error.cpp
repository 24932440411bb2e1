// The worst-case error of a scheme's logit in a number format at given positions.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include <farfield/scheme/pieces.hpp>

#include "numerics/rational.hpp"
#include "quantity/definition.hpp"
#include "quantity/evidence.hpp"
#include "quantity/kinds.hpp"
#include "quantity/rotation_error.hpp"
#include "quantity/rounded.hpp"
#include "quantity/scheme_curve.hpp"
#include "quantity/selection.hpp"
#include "quantity/tabulate.hpp"
#include "quantity/work.hpp"

namespace farfield::quantity {
namespace {

using core::Key;
using core::KeyType;
using numerics::Interval;

/// Positions are integers, which doubles represent up to this one.
constexpr double most_positions = 9007199254740992;

constexpr std::array<Key, 5> logit_error_keys = {
    format_key,
    Key{.name = "positions",
        .type = KeyType::any,
        .unit = "[1, 2, ...] or { from, to, step }",
        .required = true,
        .meaning = "positions of the query"},
    Key{.name = "key",
        .type = KeyType::integer,
        .unit = "position",
        .fallback = "0",
        .meaning = "position of the key",
        .least = 0,
        .most = most_positions},
    Key{.name = "recipe",
        .type = KeyType::text,
        .fallback = "the scheme's; else every step is rounded to the format",
        .meaning = "how an implementation rounds the steps: hf, all-bf16, fp32, fp64-tables, recurrence, powf"},
    Key{.name = "rounded",
        .type = KeyType::list,
        .fallback = "all that the scheme has",
        .meaning = "which steps are rounded: \"positions\", \"frequencies\" (the angle at position 1), \"angles\" "
                   "(their product), "
                   "\"values\" (cosine and sine), \"scale\", \"bias\""},
};

struct Step {
    std::string_view name;
    const numerics::Format* RoundedSteps::*member;
};

constexpr std::array<Step, 6> steps = {{
    {"positions", &RoundedSteps::positions},
    {"frequencies", &RoundedSteps::frequencies},
    {"angles", &RoundedSteps::angles},
    {"values", &RoundedSteps::values},
    {"scale", &RoundedSteps::scale},
    {"bias", &RoundedSteps::bias},
}};

struct LogitErrorSettings {
    Selection selection;
    const numerics::Format* format = nullptr;
    RoundedSteps steps;
    std::optional<scheme::Recipe> recipe;
    std::vector<double> positions;
    double key = 0;
};

double middle(const Interval& x) {
    return x.lo == x.hi || std::isinf(x.hi) ? x.hi : numerics::midpoint(x);
}

core::Cell middle_cell(const Interval& x) {
    return numerics::is_undefined(x) ? core::Cell::missing() : cell(middle(x), {x.lo, x.hi});
}

/// The error if its numbers have values. An error below infinity has them.
Interval proven(const Interval& error, const std::function<bool()>& has_value) {
    return std::isfinite(error.hi) || has_value() ? error : numerics::undefined_interval();
}

/// Appends a value with its enclosure to a column.
void append(core::Column& column, const Interval& value) {
    column.values.push_back(middle(value));
    column.enclosures.push_back({value.lo, value.hi});
}

class LogitError : public Prepared {
public:
    explicit LogitError(LogitErrorSettings settings) : settings_(std::move(settings)) {}

    double cost() const override {
        const int pairs = turned_pairs(settings_.selection.scheme, settings_.selection.context);
        return static_cast<double>(settings_.positions.size()) * (1 + pairs) * 20'000;
    }

    void define(const DefinitionOf&, Definition& own) const override {
        // An error is infinite where a scale overflows.
        state_infinite({"max", "first", "last", "max_rotation", "max_bias"}, own);
        state_infinite({"value[n]", "error[n]", "rotation[n]", "bias[n]"}, own);
        // The series of one position is over the pairs.
        if (settings_.positions.size() > 1)
            own.facts.emplace_back(
                "value[n] <= max and error[n] <= max and rotation[n] <= max_rotation and bias[n] <= max_bias");
        if (!settings_.selection.scheme.bias) state_equal("max_bias", 0, own);
        if (!settings_.selection.scheme.rotate) state_equal("max_rotation", 0, own);
        const auto [least, most] = std::minmax_element(settings_.positions.begin(), settings_.positions.end());
        if (least == settings_.positions.end()) return;
        state_between("argmax", numerics::exactly(*least), numerics::exactly(*most), own);
    }

    core::Result run(const Inputs& inputs) const override {
        const RotationError error(settings_.selection.scheme, settings_.selection.context, settings_.steps);
        core::Result result;
        core::Series series{
            {{"position", {}, {}}, {"error", {}, {}}, {"rotation", {}, {}}, {"bias", {}, {}}, {"pair", {}, {}}},
            core::Rigour::rigorous,
            1};
        for (const double position : settings_.positions) {
            if (inputs.interrupted()) break;
            const RotationError::Worst worst = error.of_rotation(position, settings_.key);
            const Interval rotation = proven(worst.error, [&] { return rotation_has_value(error, position); });
            const Interval bias = proven(error.of_bias(position, settings_.key),
                                         [&] { return error.has_bias_value(position, settings_.key); });
            append(series.columns[0], numerics::point(position));
            append(series.columns[1], rotation + bias);
            append(series.columns[2], rotation);
            append(series.columns[3], bias);
            // Rounding may decide which pair is the worst, so there is no enclosure.
            series.columns[4].values.push_back(worst.pair);
        }
        summarise(series, result);
        describe(error.pairs(), result.evidence);
        result.series = settings_.positions.size() == 1 && error.pairs() > 0 ? by_pair(error) : std::move(series);
        return result;
    }

private:
    bool rotation_has_value(const RotationError& error, double position) const {
        for (int pair = 0; pair < error.pairs(); ++pair)
            if (!error.has_value(position, settings_.key, pair)) return false;
        return true;
    }

    void describe(int pairs, core::Evidence& evidence) const {
        const auto& [scheme, context, place] = settings_.selection;
        if (pairs > 0) state(evidence, "angle", scheme::angle_formula(scheme, context));
        if (pairs > 0) state(evidence, "scale", scheme::scale_formula(scheme, context));
        if (scheme.bias) state(evidence, "bias", scheme::bias_formula(scheme, context));
        evidence.add("pairs", std::to_string(pairs));
        std::string rounded;
        for (const Step& step : steps)
            if (settings_.steps.*step.member) rounded += (rounded.empty() ? "" : ", ") + std::string(step.name);
        evidence.add("rounded", rounded);
        if (!settings_.recipe) return;
        state(evidence, "recipe.position", settings_.recipe->position);
        state(evidence, "recipe.frequency", settings_.recipe->frequency);
        state(evidence, "recipe.angle", settings_.recipe->angle);
        state(evidence, "recipe.value", settings_.recipe->value);
        state(evidence, "recipe.scale", settings_.recipe->scale);
        state(evidence, "recipe.bias", settings_.recipe->bias);
    }

    /// The first and the last row that may be the first one with the largest value.
    static std::pair<std::size_t, std::size_t> rows_of_largest(const core::Column& column) {
        const auto least = std::max_element(column.enclosures.begin(), column.enclosures.end(),
                                            [](const auto& a, const auto& b) { return a.lo < b.lo; });
        const auto most = std::max_element(column.enclosures.begin(), column.enclosures.end(),
                                           [](const auto& a, const auto& b) { return a.hi < b.hi; });
        std::optional<std::size_t> first;
        std::size_t last = 0;
        for (std::size_t row = 0; row < column.enclosures.size(); ++row) {
            if (column.enclosures[row].hi < least->lo) continue;
            if (!first) first = row;
            last = row;
            if (column.enclosures[row].lo == most->hi) break;  // no later row is larger
        }
        return {first.value_or(0), last};
    }

    static void summarise(const core::Series& series, core::Result& result) {
        const auto at = [](const core::Column& column, std::size_t row) {
            return Interval{column.enclosures[row].lo, column.enclosures[row].hi};
        };
        const core::Column& error = series.columns[1];
        const std::vector<double>& positions = series.columns[0].values;
        for (const std::size_t column : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
            Interval largest = at(series.columns[column], 0);
            for (std::size_t row = 1; row < series.rows(); ++row)
                largest = numerics::max(largest, at(series.columns[column], row));
            result.set(column == 1 ? "max" : "max_" + series.columns[column].name, middle_cell(largest));
        }
        const auto unknown =
            std::find_if(error.values.begin(), error.values.end(), [](double value) { return std::isnan(value); });
        if (unknown != error.values.end()) {
            result.set("argmax", core::Cell::missing());
            result.set("pair", core::Cell::missing());
            result.notes.emplace_back(
                "no value",
                "at position " + text_of(positions[static_cast<std::size_t>(unknown - error.values.begin())]));
        } else {
            const auto [worst, last_worst] = rows_of_largest(error);
            const auto [least, most] = std::minmax({positions[worst], positions[last_worst]});
            result.set("argmax", core::Cell::enclosed(positions[worst], {least, most}));
            result.set("pair", core::Cell::of(series.columns[4].values[worst]));
        }
        result.set("first", middle_cell(at(error, 0)));
        result.set("last", middle_cell(at(error, error.values.size() - 1)));
    }

    /// The series at one position: every pair's error, and its cosine and sine before and after rounding.
    core::Series by_pair(const RotationError& error) const {
        core::Series series;
        series.rigour = core::Rigour::rigorous;
        for (const char* name : {"i", "error", "cosine", "rounded_cosine", "sine", "rounded_sine"})
            series.columns.push_back({name, {}, {}});
        const double position = settings_.positions.front();
        for (int pair = 0; pair < error.pairs(); ++pair) {
            const RotationError::Turn exact = error.exact(position, pair);
            const RotationError::Turn rounded = error.rounded(position, pair);
            append(series.columns[0], numerics::point(pair));
            append(series.columns[1], proven(error.of_pair(position, settings_.key, pair),
                                             [&] { return error.has_value(position, settings_.key, pair); }));
            append(series.columns[2], exact.cosine);
            append(series.columns[3], rounded.cosine);
            append(series.columns[4], exact.sine);
            append(series.columns[5], rounded.sine);
        }
        return series;
    }

    LogitErrorSettings settings_;
};

std::vector<double> read_positions(const Declaration& declaration, core::Problems& problems) {
    const core::Entry* entry = declaration.settings.find("positions");
    if (!entry) return {};
    std::vector<double> positions;
    const std::size_t before = problems.reports();
    const auto refuse = [&](const core::Place& place, const std::string& found) {
        problems.add(place, "a position is " + found, "an integer from 0 to 2^53");
    };
    if (entry->value.list()) {
        for (const core::Value& value : *entry->value.list()) {
            const auto* whole = std::get_if<long long>(&value.data);
            const double position = whole ? static_cast<double>(*whole) : 0;
            if (!whole || *whole < 0 || *whole > static_cast<long long>(most_positions))
                refuse(value.place, value.text.empty() ? std::string(value.type_name()) : value.text);
            else if (std::find(positions.begin(), positions.end(), position) != positions.end())
                problems.add(value.place, "the position " + value.text + " is listed twice", "every position once");
            else
                positions.push_back(position);
        }
    } else if (const auto grid = read_grid(entry->value, "p", problems)) {
        const std::size_t last = grid->range.count() - 1;
        for (const std::size_t index : {std::size_t{0}, std::min<std::size_t>(1, last), last}) {
            const numerics::Rational at = grid->range.exact(index);
            if (numerics::is_integer(at) && at >= 0 && at <= numerics::exactly(most_positions)) continue;
            refuse(entry->value.place, numerics::rational_text(at));
            return positions;
        }
        constexpr std::size_t most_count = 100'000'000;
        if (grid->range.count() > most_count) {
            problems.add(entry->value.place, "there are " + std::to_string(grid->range.count()) + " positions",
                         std::to_string(most_count) + " at most, such as those of a larger step");
            return positions;
        }
        positions = grid->range.points();
    }
    if (positions.empty() && problems.reports() == before)
        problems.add(entry->value.place, "no positions", "one at least");
    return positions;
}

/// Whether the scheme computes what the step rounds.
bool is_step_of(const scheme::Scheme& scheme, std::string_view step) {
    if (step == "bias") return scheme.bias.has_value();
    if (step == "scale") return scheme.rotate && scheme.rotate->scale;
    return step == "positions" || scheme.rotate.has_value();
}

RoundedSteps read_steps(const Declaration& declaration, const LogitErrorSettings& settings, const Selection& selection,
                        core::Problems& problems) {
    RoundedSteps result = RoundedSteps::all(*settings.format);
    const int pairs = turned_pairs(selection.scheme, selection.context);
    const bool has_frequencies =
        pairs > 0 && is_proportional(scheme::angle_formula(selection.scheme, selection.context), pairs);
    const core::Entry* entry = declaration.settings.find("rounded");
    if (settings.recipe) {
        if (entry)
            problems.add(entry->key_place, "'rounded' next to a recipe",
                         "one of them: the recipe says what is rounded");
        if (pairs > 0 && !has_frequencies)
            problems.add(selection.place,
                         "the angles of '" + selection.scheme.name + "' are not shown to have a value in every pair",
                         "a head_dim whose pairs all have a frequency");
        return RoundedSteps::of(*settings.recipe);
    }
    if (!entry) {
        if (!has_frequencies) result.frequencies = nullptr;
        return result;
    }
    const core::List* list = entry->value.list();
    if (list && list->empty()) problems.add(entry->value.place, "'rounded' is empty", "at least one step");
    std::vector<std::string> known;
    for (const Step& step : steps) {
        result.*step.member = nullptr;
        known.emplace_back(step.name);
    }
    for (const std::string& name : core::read_texts(declaration.settings, "rounded", problems)) {
        const auto step = std::find_if(steps.begin(), steps.end(), [&](const Step& row) { return row.name == name; });
        if (step == steps.end()) {
            problems.add(entry->value.place, "unknown step '" + name + "'", {}, core::known_here(name, known));
            continue;
        }
        if (result.*step->member)
            problems.add(entry->value.place, "the step '" + name + "' is listed twice", "each step once");
        if (!is_step_of(selection.scheme, name))
            problems.add(entry->value.place, "scheme '" + selection.scheme.name + "' has no step '" + name + "'",
                         "steps of the scheme");
        result.*step->member = settings.format;
    }
    if (result.frequencies && !has_frequencies) {
        if (pairs > 0)
            problems.add(entry->value.place,
                         "the angles of '" + selection.scheme.name + "' are not proportional to positions",
                         "steps without \"frequencies\"");
        result.frequencies = nullptr;
    }
    return result;
}

void require_pieces(const Declaration& declaration, const Selection& selection, const LogitErrorSettings& settings,
                    core::Problems& problems) {
    const scheme::Scheme& scheme = selection.scheme;
    if (const auto problem = scheme::far_problem(scheme, "logit-error does", selection.place)) problems.add(*problem);
    if (const auto problem = settings.recipe ? std::nullopt : values_problem(scheme, selection.place))
        problems.add(*problem);
    require_bias(declaration, scheme, problems);
    if (scheme.rotate) {
        require_context(declaration, scheme.rotate->angle, problems);
        if (!declaration.settings.find("head_dim"))
            problems.add(selection.place, "the number of pairs is not known", "the key 'head_dim'");
        if (scheme.rotate->scale) require_context(declaration, *scheme.rotate->scale, problems);
        use_key(declaration, "head_dim");
        if (scheme.rotate->origin != scheme::Origin::start) use_key(declaration, "length");
    }
    if (!scheme.rotate && !scheme.bias)
        problems.add(selection.place, "scheme '" + scheme.name + "' has neither a rotation nor a bias",
                     "one that changes logits");
}

/// Reads the recipe of the quantity or of its scheme; the scheme itself keeps exact numbers.
void read_recipe(const Declaration& declaration, Selection& selection, LogitErrorSettings& settings,
                 core::Problems& problems) {
    const std::size_t before = problems.reports();
    const core::Entry* entry = declaration.settings.find("recipe");
    if (const std::optional<std::string> name = core::read_text(declaration.settings, "recipe"))
        selection.scheme =
            scheme::with_recipe(selection.scheme, *name, settings.format->name, entry->value.place, problems);
    if (selection.scheme.recipe.empty() || problems.reports() != before) return;
    settings.recipe = scheme::find_recipe(selection.scheme.recipe, selection.scheme.format);
    selection.scheme = scheme::without_recipe(selection.scheme);
}

std::unique_ptr<Prepared> prepare_logit_error(const Declaration& declaration, core::Problems& problems) {
    const std::size_t before = problems.reports();
    one_of(declaration, {"scheme"}, problems);
    std::optional<Selection> selection = read_scheme(declaration, problems);
    LogitErrorSettings settings;
    settings.positions = read_positions(declaration, problems);
    settings.key = static_cast<double>(core::Settings(declaration.settings, logit_error_keys).integer("key"));
    settings.format = read_format(declaration, problems);
    if (selection && settings.format) read_recipe(declaration, *selection, settings, problems);
    if (selection) require_pieces(declaration, *selection, settings, problems);
    if (problems.reports() != before || !selection || !settings.format || settings.positions.empty()) return nullptr;
    const double last = *std::max_element(settings.positions.begin(), settings.positions.end());
    use_default_length(*selection, numerics::exactly(std::max(last, settings.key)),
                       place_of_key(declaration, "positions"), problems);
    if (problems.reports() != before) return nullptr;
    settings.steps = read_steps(declaration, settings, *selection, problems);
    if (problems.reports() != before) return nullptr;
    settings.selection = std::move(*selection);
    return std::make_unique<LogitError>(std::move(settings));
}

}  // namespace

const Kind& logit_error_kind() {
    static const Kind kind{"logit-error",
                           "what a number format does to the logit, in the worst direction",
                           logit_error_keys,
                           true,
                           prepare_logit_error,
                           SearchRule::none,
                           {"max >= 0 and max >= first and max >= last and max_rotation >= 0 and max_bias >= 0"}};
    return kind;
}

}  // namespace farfield::quantity
