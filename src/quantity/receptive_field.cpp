// The number of inputs that can reach the last output: exactly, by the paper's bound, and as predicted from the bias
// alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include <farfield/evaluate/enclose.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/simplify.hpp>
#include <farfield/quantity/scheme_values.hpp>

#include "formula/form.hpp"
#include "quantity/convolution.hpp"
#include "quantity/definition.hpp"
#include "quantity/evidence.hpp"
#include "quantity/kinds.hpp"
#include "quantity/reach.hpp"
#include "quantity/scalar.hpp"
#include "quantity/scheme_curve.hpp"
#include "quantity/selection.hpp"
#include "quantity/tabulate.hpp"
#include "quantity/width.hpp"
#include "quantity/work.hpp"

namespace farfield::quantity {
namespace {

using core::Key;
using core::KeyType;
using formula::Node;
using formula::Op;

constexpr std::array<Key, 5> receptive_field_keys = {
    Key{.name = "mask",
        .type = KeyType::formula,
        .meaning = "a condition on q, k and n = q - k, the same in every layer"},
    Key{.name = "masks", .type = KeyType::list, .meaning = "a condition for each layer, from the input on"},
    Key{.name = "causal",
        .type = KeyType::boolean,
        .fallback = "true",
        .meaning = "for mask and masks: whether k <= q must also hold"},
    Key{.name = "mass",
        .type = KeyType::formula,
        .unit = "0..1",
        .fallback = "0.99",
        .meaning = "the mass that `predicted` reaches"},
    Key{.name = "residual",
        .type = KeyType::formula,
        .unit = "0..1",
        .fallback = "0",
        .meaning = "for `predicted`: one layer is residual at 0 plus (1 - residual) of the row"},
};

/// One layer: the keys that are visible to a query, and the logits of the last query by distance (none if they are
/// unknown).
struct Layer {
    Node mask;
    Node logits;
};

struct ReceptiveFieldSettings {
    std::vector<Layer> layers;  ///< from the input on
    long long length = 0;
    core::Place place;
    Scalar mass;
    Scalar residual{0, {0, 0}, "0"};
    std::string no_prediction;  ///< why there is no prediction; empty if there is one
};

/// Layers with the same mask share its reach.
class Reaches {
public:
    explicit Reaches(const ReceptiveFieldSettings& settings) {
        for (const Layer& layer : settings.layers) {
            const auto known = std::find_if(masks_.begin(), masks_.end(),
                                            [&](const auto& other) { return formula::equal(other.first, layer.mask); });
            if (known != masks_.end()) {
                layers_.push_back(known->second);
                continue;
            }
            layers_.push_back(std::make_shared<MaskReach>(layer.mask, settings.length, settings.place));
            masks_.emplace_back(layer.mask, layers_.back());
        }
    }

    const std::vector<std::shared_ptr<MaskReach>>& layers() const { return layers_; }
    bool is_uniform() const { return masks_.size() == 1; }

private:
    std::vector<std::pair<Node, std::shared_ptr<MaskReach>>> masks_;
    std::vector<std::shared_ptr<MaskReach>> layers_;
};

/// The inputs that reach the last output, from the last layer back to the first.
Runs reached(const Reaches& reaches, long long length, const Inputs& inputs) {
    Runs positions({{length - 1, length - 1}});
    for (auto layer = reaches.layers().rbegin(); layer != reaches.layers().rend(); ++layer) {
        if (inputs.interrupted()) break;
        Runs seen = (*layer)->seen_from(positions);
        const bool has_settled = seen == positions && reaches.is_uniform();
        positions = std::move(seen);
        if (has_settled) break;
    }
    return positions;
}

/// The window of a mask that leaves only the nearest distances visible.
std::optional<long long> window(const MaskReach& reach) {
    if (!reach.distances() || reach.distances()->list().size() != 1) return std::nullopt;
    const Run run = reach.distances()->list().front();
    return run.first == 0 ? std::optional(run.last + 1) : std::nullopt;
}

/// min(L, 1 + sum of (w - 1)) of windows; with blocks L - max(0, floor((L-1)/b) - R m) b.
std::optional<long long> closed_form(const Reaches& reaches, long long length) {
    long long steps = 0;
    bool are_windows = true;
    for (const auto& layer : reaches.layers()) {
        const std::optional<long long> size = window(*layer);
        are_windows = are_windows && size;
        steps += size.value_or(1) - 1;
    }
    if (are_windows) return std::min(length, 1 + steps);
    if (!reaches.is_uniform()) return std::nullopt;
    const auto blocks = reaches.layers().front()->blocks();
    if (!blocks) return std::nullopt;
    const long long back = static_cast<long long>(reaches.layers().size()) * blocks->earlier;
    return length - std::max(0LL, (length - 1) / blocks->size - back) * blocks->size;
}

/// The sum of the layers' spans; nothing if one of them is unknown.
std::optional<long long> bound(const Reaches& reaches) {
    long long total = 0;
    std::optional<long long> span;
    for (const auto& layer : reaches.layers()) {
        if (!span || !reaches.is_uniform()) span = layer->span();
        if (!span) return std::nullopt;
        total += *span;
    }
    return total;
}

/// Nothing if the layer hides all keys from the last query.
std::optional<Row> row_of(const Layer& layer, const ReceptiveFieldSettings& settings) {
    Tabulation tabulation;
    tabulation.formula = {layer.logits, {"", settings.place}};
    tabulation.grid = {"n", {0, 1, static_cast<std::uint64_t>(settings.length)}, settings.place};
    const core::Series series = tabulate(tabulation);
    const core::Values& logits = series.columns[1].values;
    if (std::any_of(logits.begin(), logits.end(), [](double each) { return each > 0 && std::isinf(each); }))
        throw core::UserError(
            {{settings.place, "the bias of a key is inf", "a bias that is finite where a key is visible", ""}});
    if (std::none_of(logits.begin(), logits.end(), [](double each) { return std::isfinite(each); }))
        return std::nullopt;
    const Row row = softmax(evaluate::Array(series.columns[1].values), series.columns[1].enclosures);
    return with_residual(row, settings.residual.number, settings.residual.enclosure);
}

/// The smallest number of nearest inputs with more than the mass, if every layer mixes by its bias alone. Nothing if a
/// layer hides all keys from the last query.
std::optional<core::Cell> predicted(const ReceptiveFieldSettings& settings) {
    std::optional<Row> row;
    for (std::size_t first = 0; first < settings.layers.size();) {
        std::size_t next = first + 1;
        while (next < settings.layers.size() &&
               formula::equal(settings.layers[next].logits, settings.layers[first].logits))
            ++next;
        const std::optional<Row> own = row_of(settings.layers[first], settings);
        if (!own) return std::nullopt;
        Row power = convolution_power(*own, next - first);
        row = row ? convolve(*row, power) : std::move(power);
        first = next;
    }
    return width_of(cumulate(*row), settings.mass);
}

core::Cell integer(std::optional<long long> number) {
    return number ? core::Cell::exact(static_cast<double>(*number)) : core::Cell::missing();
}

class ReceptiveField : public Prepared {
public:
    explicit ReceptiveField(ReceptiveFieldSettings settings) : settings_(std::move(settings)) {}

    double cost() const override {
        const double logits = settings_.no_prediction.empty() ? operations(settings_.layers.front().logits) : 0;
        return static_cast<double>(settings_.length) * (logits + 100);
    }

    void define(const DefinitionOf&, Definition& own) const override {
        state_at_most({"exact", "closed_form", "predicted"}, settings_.length, own);
        state_at_most({"bound"}, numerics::Rational(settings_.length) * settings_.layers.size(), own);
    }

    core::Result run(const Inputs& inputs) const override {
        const Reaches reaches(settings_);
        core::Result result;
        result.set("exact", integer(reached(reaches, settings_.length, inputs).count()));
        result.set("bound", integer(bound(reaches)));
        result.set("closed_form", integer(closed_form(reaches, settings_.length)));
        const std::optional<core::Cell> own = settings_.no_prediction.empty() ? predicted(settings_) : std::nullopt;
        result.set("predicted", own.value_or(core::Cell::missing()));
        if (!own)
            result.notes.emplace_back("predicted", settings_.no_prediction.empty()
                                                       ? "a layer hides all keys from the last query"
                                                       : settings_.no_prediction);
        describe(result.evidence);
        return result;
    }

private:
    /// Layers from the input on; a layer that equals the one before is omitted.
    void describe(core::Evidence& evidence) const {
        const std::vector<Layer>& layers = settings_.layers;
        evidence.add("layers", std::to_string(layers.size()));
        for (std::size_t at = 0; at < layers.size(); ++at) {
            const std::string number = std::to_string(at + 1);
            if (at == 0 || !formula::equal(layers[at].mask, layers[at - 1].mask))
                state(evidence, "mask." + number, layers[at].mask);
            const bool is_predicted = settings_.no_prediction.empty();
            if (is_predicted && (at == 0 || !formula::equal(layers[at].logits, layers[at - 1].logits)))
                state(evidence, "logits." + number, layers[at].logits);
        }
        evidence.add("residual", settings_.residual.text);
        evidence.add("mass", settings_.mass.text);
    }

    ReceptiveFieldSettings settings_;
};

Node logits_of(const Node& mask, const Node& bias, long long length) {
    const Node hidden = formula::make(Op::negate, {formula::make_name("inf")});
    return along_distance(formula::make(Op::select, {mask, bias, hidden}), length - 1);
}

/// The mask as a condition on q and k, including causality.
Node completed(const Node& mask, bool is_causal) {
    const Node q = formula::make_name("q");
    const Node k = formula::make_name("k");
    const Node tree = formula::substitute(mask, {{"n", formula::make(Op::subtract, {q, k})}});
    return is_causal ? formula::make(Op::logical_and, {formula::make(Op::less_equal, {k, q}), tree}) : tree;
}

void read_scheme_layers(const Declaration& declaration, std::size_t count, ReceptiveFieldSettings& settings,
                        core::Problems& problems) {
    const std::size_t before = problems.reports();
    std::optional<Selection> selection = read_scheme(declaration, problems);
    if (selection && selection->scheme.mask) {
        const auto is_given = [&](std::string_view key) {
            return key == "layer" || key == "layers" || declaration.settings.find(key) != nullptr;
        };
        require_keys(*selection->scheme.mask, is_given, selection->place, problems);
        use_piece(declaration, *selection->scheme.mask);
    }
    if (problems.reports() != before || !selection) return;
    core::Problems of_bias;
    require_bias(declaration, selection->scheme, of_bias);
    const bool weighs = declaration.settings.find("mass") || declaration.settings.find("residual");
    if (weighs && selection->scheme.bias) problems.add(of_bias);
    if (!of_bias.empty()) settings.no_prediction = of_bias.list().front().found + ": " + of_bias.list().front().wanted;
    scheme::Context context = selection->context;
    context.length = static_cast<double>(settings.length);
    context.layers = static_cast<double>(count);
    for (std::size_t layer = 1; layer <= count; ++layer) {
        context.layer = static_cast<double>(layer);
        const Node mask = scheme::mask_formula(selection->scheme, context);
        const Node bias =
            of_bias.empty() ? scheme::bias_formula(selection->scheme, context) : formula::make_number("0");
        settings.layers.push_back({mask, logits_of(mask, bias, settings.length)});
    }
}

/// Reports a part of a mask that is the same for all queries and keys.
void check_effect(const Checked& mask, bool is_causal, core::Problems& problems) {
    const auto idle = formula::find_idle_of_pairs(formula::parse(mask.source), formula::facts_of_pairs(is_causal),
                                                  evaluate::decide_for_all);
    if (idle) problems.add(formula::describe(*idle, mask.source, "q, k and n"));
}

void read_mask_layers(const Declaration& declaration, std::size_t count, ReceptiveFieldSettings& settings,
                      core::Problems& problems) {
    const bool is_causal = core::Settings(declaration.settings, receptive_field_keys).boolean("causal");
    const Formula wanted{.key = "mask", .variables = {"q", "k", "n"}, .type = formula::Type::boolean};
    const auto add = [&](const std::optional<Checked>& mask, std::size_t layers) {
        if (!mask) return;
        check_effect(*mask, is_causal, problems);
        const Node tree = completed(mask->tree, is_causal);
        const Layer layer{tree, logits_of(tree, formula::make_number("0"), settings.length)};
        settings.layers.insert(settings.layers.end(), layers, layer);
    };
    const core::Entry* masks = declaration.settings.find("masks");
    if (!masks) return add(read_formula(declaration, wanted, problems), count);
    if (!masks->value.list()) return;
    for (const core::Value& value : *masks->value.list()) add(read_formula(declaration, value, wanted, problems), 1);
}

/// The number of layers, from `layers` or from the list of masks.
std::size_t read_layers(const Declaration& declaration, core::Problems& problems) {
    const std::optional<long long> layers = core::read_integer(declaration.settings, "layers");
    const core::Entry* masks = declaration.settings.find("masks");
    if (!masks || !masks->value.list()) {
        if (!layers)
            problems.add(declaration.place, "quantity '" + declaration.name + "' lacks the key 'layers'",
                         "layers = 12");
        return static_cast<std::size_t>(std::max(1LL, layers.value_or(1)));
    }
    const std::size_t count = masks->value.list()->size();
    if (count == 0) problems.add(masks->value.place, "no masks", "one for each layer");
    if (layers && *layers != static_cast<long long>(count))
        problems.add(place_of_key(declaration, "layers"),
                     std::to_string(*layers) + " layers and " + std::to_string(count) + " masks",
                     "as many masks as layers");
    return count;
}

std::unique_ptr<Prepared> prepare_receptive_field(const Declaration& declaration, core::Problems& problems) {
    const std::size_t before = problems.reports();
    const std::string_view of = one_of(declaration, {"scheme", "mask", "masks"}, problems);
    ReceptiveFieldSettings settings;
    settings.place = place_of_key(declaration, of.empty() ? "kind" : of);
    settings.length = core::read_integer(declaration.settings, "length").value_or(0);
    if (settings.length < 1)
        problems.add(declaration.place, "quantity '" + declaration.name + "' lacks the key 'length'", "length = 2048");
    for (const char* key : {"length", "layers"}) use_key(declaration, key);
    const std::size_t count = read_layers(declaration, problems);
    if (const core::Entry* causal = declaration.settings.find("causal"); causal && of == "scheme")
        problems.add(causal->key_place, "'causal' next to a scheme, which already defines it",
                     "'mask' or 'masks', or a scheme with the key");
    settings.mass = read_mass(declaration, problems);
    settings.residual = read_residual(declaration, problems);
    if (problems.reports() != before) return nullptr;
    if (of == "scheme")
        read_scheme_layers(declaration, count, settings, problems);
    else
        read_mask_layers(declaration, count, settings, problems);
    if (problems.reports() != before || settings.layers.empty()) return nullptr;
    return std::make_unique<ReceptiveField>(std::move(settings));
}

}  // namespace

const Kind& receptive_field_kind() {
    static const Kind kind{
        "receptive-field",
        "how many inputs can reach the last output through layers of attention",
        receptive_field_keys,
        true,
        prepare_receptive_field,
        SearchRule::none,
        {"exact >= 1 and exact == floor(exact) and bound >= 1 and bound == floor(bound) and predicted >= 1 and "
         "predicted == floor(predicted) and closed_form >= 1 and closed_form == floor(closed_form)"}};
    return kind;
}

}  // namespace farfield::quantity
