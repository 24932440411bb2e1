// Attention by distance with equal contents: the softmax of the bias alone, for one or several layers.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <farfield/numerics/interval.hpp>
#include <farfield/scheme/context.hpp>

#include "quantity/convolution.hpp"
#include "quantity/curve_input.hpp"
#include "quantity/definition.hpp"
#include "quantity/evidence.hpp"
#include "quantity/kinds.hpp"
#include "quantity/scalar.hpp"
#include "quantity/scheme_curve.hpp"
#include "quantity/summary.hpp"
#include "quantity/width.hpp"

namespace farfield::quantity {
namespace {

using formula::Node;
using formula::Op;

constexpr std::array<core::Key, 10> profile_keys = {
    of_key,
    core::Key{.name = "distances",
              .type = core::KeyType::table,
              .unit = "{ from = 0, to }",
              .meaning = "distances that the row holds, from 0 in steps of 1"},
    core::Key{.name = "query",
              .type = core::KeyType::integer,
              .unit = "position",
              .fallback = "the last distance",
              .meaning = "position of the query of the row",
              .least = 0},
    core::Key{.name = "range",
              .type = core::KeyType::table,
              .unit = "{ from = 0, to }",
              .fallback = "the whole curve",
              .meaning = "which distances of `of` the row holds"},
    core::Key{
        .name = "all_heads",
        .type = core::KeyType::boolean,
        .fallback = "false",
        .meaning =
            "for a scheme: a layer's row is the mean of the rows of heads 1 to `heads`, instead of the row of `head`"},
    core::Key{.name = "layers",
              .type = core::KeyType::integer,
              .fallback = "1",
              .meaning = "how many layers: the row convolved with itself, exact below its length, not renormalised",
              .least = 1,
              .most = 1000},
    core::Key{.name = "residual",
              .type = core::KeyType::formula,
              .unit = "0..1",
              .fallback = "0",
              .meaning = "one layer is residual at 0 plus (1 - residual) of the row"},
    core::Key{.name = "mass",
              .type = core::KeyType::formula,
              .unit = "0..1",
              .fallback = "0.99",
              .meaning = "the mass that `width` reaches"},
    core::Key{.name = "within",
              .type = core::KeyType::integer,
              .unit = "distances",
              .meaning = "number of nearest distances that `share` counts",
              .least = 1},
    enclosures_key,
};

struct ProfileSettings {
    std::vector<CurveInput> inputs;  ///< one, or one per head
    std::size_t layers = 1;
    Scalar residual{0, {0, 0}, "0"};
    Scalar mass;
    std::optional<std::size_t> within;
    core::Place within_place;
    core::Place place;
};

core::Cell share_of(const Row& sums, std::size_t within) {
    const std::size_t last = std::min(within, sums.values.size()) - 1;
    return sums.is_enclosed() ? cell(sums.values[last], sums.enclosures[last]) : core::Cell::of(sums.values[last]);
}

void check_row(const View& view, const ProfileSettings& settings) {
    if (view.points.first_not_own_index() < view.points.size())
        throw core::UserError(
            {{settings.place, "the row is not over the distances 0, 1, 2, ...", "distances from 0 in steps of 1", ""}});
    if (settings.within && *settings.within > view.points.size())
        throw core::UserError({{settings.within_place, "'within' is " + std::to_string(*settings.within),
                                "at most the row's length, " + std::to_string(view.points.size()), ""}});
    const evaluate::Extremes logits = evaluate::extremes(view.values);
    if (logits.first_nan == 0 || !std::isfinite(logits.greatest))
        throw core::UserError(
            {{settings.place, "no logit of the row is finite", "one at least, and none infinite", ""}});
}

/// The mean of rows of one length.
Row mean_of(const std::vector<Row>& rows) {
    if (rows.size() == 1) return rows.front();
    if (!rows.front().is_enclosed()) {
        std::vector<evaluate::Array> arrays;
        arrays.reserve(rows.size());
        for (const Row& row : rows) arrays.emplace_back(row.values);
        return {evaluate::mean_of_rows(arrays).values(), {}};
    }
    const numerics::Interval count = numerics::point(static_cast<double>(rows.size()));
    Row mean;
    for (std::size_t n = 0; n < rows.front().values.size(); ++n) {
        double sum = 0;
        numerics::Interval enclosed = numerics::point(0);
        for (const Row& row : rows) {
            sum += row.values[n];
            enclosed = enclosed + numerics::Interval{row.enclosures[n].lo, row.enclosures[n].hi};
        }
        mean.values.push_back(sum / static_cast<double>(rows.size()));
        enclosed = enclosed / count;
        mean.enclosures.push_back({enclosed.lo, enclosed.hi});
    }
    return mean;
}

/// The row after all layers, and its running sums.
Cumulated attention_of(const std::vector<Row>& heads, const ProfileSettings& settings) {
    const Row layer = with_residual(mean_of(heads), settings.residual.number, settings.residual.enclosure);
    Row row = convolution_power(layer, settings.layers);
    Row sums = cumulate(row);
    return {std::move(row), std::move(sums)};
}

bool is_plain(const View& view, const ProfileSettings& settings) {
    return settings.inputs.size() == 1 && settings.layers == 1 && settings.residual.number == 0 &&
           view.enclosures.empty();
}

class Profile : public Prepared {
public:
    explicit Profile(ProfileSettings settings) : settings_(std::move(settings)) {}

    std::vector<std::string> needs() const override { return settings_.inputs.front().needs(); }
    double cost() const override {
        return settings_.inputs.front().cost() * static_cast<double>(settings_.inputs.size());
    }

    void define(const DefinitionOf& definition_of, Definition& own) const override {
        own.points = points_of(settings_.inputs.front(), definition_of);
        if (!own.points) return;
        state_summary(*own.points, own);
        state_at_most({"width"}, own.points->count(), own);
    }

    core::Result run(const Inputs& inputs) const override {
        Cumulated attention;
        core::Values points;
        std::vector<Row> heads;
        for (const CurveInput& input : settings_.inputs) {
            with_curve(inputs, input, [&](const View& view) {
                points = view.points.values();
                check_row(view, settings_);
                if (is_plain(view, settings_))
                    attention = cumulated_softmax(view.values);
                else
                    heads.push_back(softmax(view.values, view.enclosures));
            });
        }
        if (!heads.empty()) attention = attention_of(heads, settings_);
        auto& [row, sums] = attention;
        core::Result result;
        const core::Cell width = width_of(sums, settings_.mass);
        const core::Cell share = settings_.within ? share_of(sums, *settings_.within) : core::Cell::missing();
        const core::Rigour rigour = row.is_enclosed() ? core::Rigour::rigorous : core::Rigour::none;
        result.series = core::Series{{{"n", points, {}}, {"value", row.values, row.enclosures}}, rigour, 1};
        result.series->columns.push_back({"cumulative", std::move(sums.values), std::move(sums.enclosures)});
        summarise(view_of(*result.series, settings_.place), result);
        result.set("width", width);
        result.set("share", share);
        describe(result.evidence);
        return result;
    }

private:
    void describe(core::Evidence& evidence) const {
        for (std::size_t head = 0; head < settings_.inputs.size(); ++head)
            if (const auto* own = std::get_if<Tabulation>(&settings_.inputs[head].source))
                state(evidence, "logits." + std::to_string(head + 1), own->formula.tree);
        evidence.add("residual", settings_.residual.text);
        evidence.add("mass", settings_.mass.text);
    }

    ProfileSettings settings_;
};

/// The scheme's bias where the key is visible to the query, otherwise -inf, over the distances of the query's row.
std::optional<Tabulation> read_row(const Declaration& declaration, core::Problems& problems) {
    std::optional<Tabulation> tabulation = read_bias_curve(declaration, problems);
    std::optional<Selection> selection = read_scheme(declaration, problems);
    if (!tabulation || !selection) return std::nullopt;
    if (selection->scheme.mask) require_context(declaration, *selection->scheme.mask, problems);
    const Grid& grid = tabulation->grid;
    const numerics::Rational last = grid.range.exact(grid.range.count() - 1);
    std::optional<long long> query = core::read_integer(declaration.settings, "query");
    if (!query) query = numerics::counted(numerics::Rational(numerics::floor_of(last)));
    const std::size_t before = problems.reports();
    if (!query) {
        problems.add(grid.place, "the largest distance is " + numerics::rational_text(last), "a distance below 2^63");
        return std::nullopt;
    }
    use_default_length(*selection, *query, grid.place, problems);
    if (problems.reports() != before) return std::nullopt;
    const scheme::Context& context = selection->context;
    const Node bias = scheme::bias_formula(selection->scheme, context);
    const Node mask = scheme::mask_formula(selection->scheme, context);
    const Node hidden = formula::make(Op::negate, {formula::make_name("inf")});
    tabulation->formula.tree = along_distance(formula::make(Op::select, {mask, bias, hidden}), query);
    return tabulation;
}

std::optional<CurveInput> read_logits(const Declaration& declaration, core::Problems& problems) {
    if (!declaration.settings.find("scheme") || declaration.settings.find("of") || declaration.settings.find("formula"))
        return read_curve_input(declaration, problems);
    CurveInput input;
    std::optional<Tabulation> row = read_row(declaration, problems);
    if (!row) return std::nullopt;
    input.source = std::move(*row);
    input.limits = read_limits(declaration, "range", problems);
    return input;
}

constexpr long long most_heads = 4096;

/// The logits of each head of the scheme, or of the requested row.
std::vector<CurveInput> read_heads(const Declaration& declaration, core::Problems& problems) {
    const core::Entry* all = declaration.settings.find("all_heads");
    long long heads = core::read_integer(declaration.settings, "heads").value_or(1);
    const bool is_mean = all && core::Settings(declaration.settings, profile_keys).boolean("all_heads");
    if (!is_mean) heads = 1;
    if (is_mean) use_key(declaration, "heads");
    if (is_mean && (!declaration.settings.find("scheme") || !declaration.settings.find("heads") ||
                    declaration.settings.find("head"))) {
        problems.add(all->value.place, "'all_heads' without a scheme and its number of heads, or together with 'head'",
                     "scheme = NAME and heads = H");
        return {};
    }
    if (heads > most_heads) {
        problems.add(place_of_key(declaration, "heads"), std::to_string(heads) + " heads",
                     std::to_string(most_heads) + " at most with 'all_heads'");
        return {};
    }
    std::vector<CurveInput> inputs;
    for (long long head = 1; head <= heads; ++head) {
        core::Entries settings = declaration.settings;
        if (is_mean) settings.list.push_back({"head", all->key_place, {head, all->value.place, std::to_string(head)}});
        const Declaration of_head{declaration.name,  declaration.place,  settings,          declaration.schemes,
                                  declaration.known, declaration.folder, declaration.items, declaration.uses};
        if (std::optional<CurveInput> input = read_logits(of_head, problems)) inputs.push_back(std::move(*input));
    }
    return inputs;
}

/// Several layers share one row, so its formulas must be the same in each layer.
void check_layers(const Declaration& declaration, core::Problems& problems) {
    const core::Entry* layers = declaration.settings.find("layers");
    if (!layers || !declaration.settings.find("scheme") || layers->value.number() < 2) return;
    const std::optional<Selection> selection = read_scheme(declaration, problems);
    if (!selection) return;
    for (const std::optional<scheme::Piece>* piece : {&selection->scheme.bias, &selection->scheme.mask}) {
        if (!*piece) continue;
        std::vector<std::string> names = formula::free_names((*piece)->formula);
        const std::vector<std::string> of_condition =
            (*piece)->when ? formula::free_names((*piece)->when) : std::vector<std::string>();
        names.insert(names.end(), of_condition.begin(), of_condition.end());
        if (std::find(names.begin(), names.end(), "layer") == names.end()) continue;
        return problems.add(layers->value.place,
                            "one row for " + layers->value.text + " layers of '" + selection->scheme.name +
                                "', whose formulas depend on the layer",
                            "layers = 1");
    }
}

std::unique_ptr<Prepared> prepare_profile(const Declaration& declaration, core::Problems& problems) {
    const std::size_t problems_before = problems.reports();
    ProfileSettings settings;
    check_layers(declaration, problems);
    settings.inputs = read_heads(declaration, problems);
    settings.layers = core::Settings(declaration.settings, profile_keys).count("layers");
    settings.residual = read_residual(declaration, problems);
    settings.mass = read_mass(declaration, problems);
    if (const auto within = core::read_integer(declaration.settings, "within"); within && *within > 0)
        settings.within = static_cast<std::size_t>(*within);
    settings.within_place = place_of_key(declaration, "within");
    settings.place = declaration.place;
    if (problems.reports() != problems_before || settings.inputs.empty()) return nullptr;
    return std::make_unique<Profile>(std::move(settings));
}

}  // namespace

const Kind& profile_kind() {
    static const Kind kind = {
        "profile",
        "attention by distance from the bias alone, over one layer or several",
        profile_keys,
        true,
        prepare_profile,
        SearchRule::none,
        {summary_facts, row_facts,
         "min >= 0 and max <= 1 and cumulative[n] >= 0 and cumulative[n] <= 1 and value[n] <= cumulative[n] and "
         "share >= 0 and "
         "share <= 1 and width >= 1 and width == floor(width)"}};
    return kind;
}

}  // namespace farfield::quantity
