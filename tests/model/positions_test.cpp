// Logits of a head against the scheme's formulas, evaluated as they were written at each query and key: with h and
// layer as inputs, nothing put in and nothing shared.
#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/core/error.hpp>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/program.hpp>

#include "model/model_support.hpp"
#include "support/random_formula.hpp"

using namespace farfield;
using namespace farfield::model;
using formula::Node;
using formula::Op;

namespace {

constexpr double nowhere = -INFINITY;

Config shape() {
    Config config = tiny();
    config.layers = 3;
    config.heads = 4;
    config.vocabulary = 5;
    return config;
}

/// Queries, keys and values that depend on neither token nor position: their weights are 0, their biases are not.
Model<double> model_of(const scheme::Scheme& scheme) {
    Model<double> model(shape(), scheme, 1);
    stir(model);
    for (std::size_t layer = 0; layer < shape().layers; ++layer) {
        const Slice& weight = model.layout().at("layers." + std::to_string(layer) + ".attention.in.weight");
        for (double& value : model.parameters().subspan(weight.offset, weight.size())) value = 0;
    }
    return model;
}

/// One head of the model at one length; layer and head count from 1.
struct Direct {
    const Model<double>& model;
    std::size_t length;
    std::size_t layer;
    std::size_t head;

    const Config& config() const { return model.config(); }
    const scheme::Scheme& scheme() const { return model.scheme(); }

    /// The learned values of this layer and head.
    std::vector<double> learned(const scheme::Learned& name) const {
        const std::vector<double> all = model.learned(name.name);
        const auto size = std::max<std::size_t>(1, static_cast<std::size_t>(name.size));
        const std::size_t heads = name.per_head ? config().heads : 1;
        const std::size_t at = (name.per_layer ? layer - 1 : 0) * heads + (name.per_head ? head - 1 : 0);
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(at * size);
        return {first, first + static_cast<std::ptrdiff_t>(size)};
    }

    std::vector<double> at(const Node& tree, double width, const std::vector<std::string>& variables,
                           const std::vector<std::vector<double>>& points) const {
        formula::Signature signature{{"h", "layer", "H", "R", "d", "L", "Ltr"}, variables, {}};
        evaluate::Inputs inputs;
        inputs.uniform = {static_cast<double>(head),
                          static_cast<double>(layer),
                          static_cast<double>(config().heads),
                          static_cast<double>(config().layers),
                          width,
                          static_cast<double>(length),
                          static_cast<double>(config().train_length)};
        std::vector<std::vector<double>> tables;
        tables.reserve(scheme().learn.size());
        for (const scheme::Learned& name : scheme().learn) {
            const std::vector<double> values = learned(name);
            if (name.size == 0) {
                signature.uniform.push_back(name.name);
                inputs.uniform.push_back(values.front());
            } else {
                signature.tables.push_back(name.name);
                tables.push_back(values);
                inputs.tables.emplace_back(tables.back());
            }
        }
        for (const std::vector<double>& lane : points) inputs.varying.emplace_back(std::span<const double>(lane));
        inputs.points = points.front().size();
        return evaluate::evaluate(formula::compile(tree, signature), inputs);
    }

    /// A piece at the points, `otherwise` where its `when` fails.
    std::vector<double> piece(const std::optional<scheme::Piece>& piece, double width, double otherwise,
                              const std::vector<std::string>& variables,
                              const std::vector<std::vector<double>>& points) const {
        if (!piece) return std::vector<double>(points.front().size(), otherwise);
        std::vector<double> values = at(piece->formula, width, variables, points);
        if (!piece->when) return values;
        const std::vector<double> acts = at(piece->when, width, variables, points);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = acts[i] == 1 ? values[i] : otherwise;
        return values;
    }

    std::span<const double> slice(const std::string& name) const {
        const Slice& found = model.layout().at("layers." + std::to_string(layer - 1) + name);
        return model.parameters().subspan(found.offset, found.size());
    }

    /// The head's query (part 0) or key (1) at every position, turned by the angle and scaled. [L, d]
    std::vector<double> turned(std::size_t part, const std::optional<scheme::Piece>& angle) const {
        const std::size_t dim = config().head_dim();
        const std::span<const double> own =
            slice(".attention.in.bias").subspan(part * config().width + (head - 1) * dim, dim);
        std::vector<double> rows;
        for (std::size_t p = 0; p < length; ++p) rows.insert(rows.end(), own.begin(), own.end());
        if (!scheme().rotate) return rows;
        const scheme::Rotation& rotation = *scheme().rotate;
        const double width = rotation.fraction * static_cast<double>(dim);
        const auto pairs = static_cast<std::size_t>(width) / 2;
        std::vector<std::vector<double>> points(2);
        for (std::size_t p = 0; p < length; ++p) {
            for (std::size_t i = 0; i < pairs; ++i) {
                points[0].push_back(static_cast<double>(p));
                points[1].push_back(static_cast<double>(i));
            }
        }
        const std::vector<double> angles = piece(angle, width, 0, {"p", "i"}, points);
        const std::vector<double> scales = piece(rotation.scale, width, 1, {"p", "i"}, points);
        for (std::size_t at = 0; at < angles.size(); ++at) {
            const std::size_t i = at % pairs;
            const bool halves = rotation.pairs == scheme::Pairs::halves;
            double* const row = rows.data() + at / pairs * dim;
            double& x = row[halves ? i : 2 * i];
            double& y = row[halves ? i + pairs : 2 * i + 1];
            const double scale = part == 0 ? scales[at] : 1 / scales[at];
            const double turned_x = scale * (x * std::cos(angles[at]) - y * std::sin(angles[at]));
            y = scale * (x * std::sin(angles[at]) + y * std::cos(angles[at]));
            x = turned_x;
        }
        return rows;
    }

    /// The relative key of the pair, null without one.
    const double* relative_key(std::size_t q, std::size_t k) const {
        if (!scheme().relative || !scheme().relative->keys) return nullptr;
        const long long clip = scheme().relative->clip;
        const long long n = std::clamp(static_cast<long long>(q) - static_cast<long long>(k), -clip, clip);
        const auto row = static_cast<std::size_t>(scheme().causal ? n : n + clip);
        return slice(".relative.keys").data() + row * config().head_dim();
    }

    /// What enters the softmax, -inf where the key is hidden; NaN or inf where the scheme gives no bias. [L, L]
    std::vector<double> logits() const {
        std::vector<std::vector<double>> pairs(3), queries(1);
        for (std::size_t q = 0; q < length; ++q) {
            queries[0].push_back(static_cast<double>(q));
            for (std::size_t k = 0; k < length; ++k) {
                pairs[0].push_back(static_cast<double>(q));
                pairs[1].push_back(static_cast<double>(k));
                pairs[2].push_back(static_cast<double>(q) - static_cast<double>(k));
            }
        }
        const auto dim = static_cast<double>(config().head_dim());
        const std::vector<double> bias = piece(scheme().bias, dim, 0, {"q", "k", "n"}, pairs);
        const std::vector<double> mask = piece(scheme().mask, dim, 1, {"q", "k", "n"}, pairs);
        const std::vector<double> temperature = piece(scheme().temperature, dim, 1, {"q"}, queries);
        std::optional<scheme::Piece> angle, far_query, far_key;
        std::vector<double> is_far(length * length, 0);
        if (scheme().rotate) angle = far_key = scheme().rotate->angle;
        if (scheme().rotate && scheme().rotate->far) {
            const scheme::FarRotation& far = *scheme().rotate->far;
            far_query = far.query;
            if (far.key) far_key = far.key;
            is_far = at(far.where.formula, dim, {"q", "k", "n"}, pairs);
        }
        const std::vector<double> near_vectors[] = {turned(0, angle), turned(1, angle)};
        const std::vector<double> far_vectors[] = {turned(0, far_query), turned(1, far_key)};
        std::vector<double> result(length * length, nowhere);
        for (std::size_t q = 0; q < length; ++q) {
            for (std::size_t k = 0; k < length; ++k) {
                const std::size_t at = q * length + k;
                if ((scheme().causal && k > q) || mask[at] != 1) continue;
                const double* const relative = relative_key(q, k);
                const auto& [query, key] = is_far[at] == 1 ? far_vectors : near_vectors;
                double product = 0;
                for (std::size_t c = 0; c < config().head_dim(); ++c) {
                    const double more = relative != nullptr ? relative[c] : 0;
                    product += query[q * config().head_dim() + c] * (key[k * config().head_dim() + c] + more);
                }
                const double unit = scheme().bias_scaled ? std::sqrt(dim) : 1;
                result[at] = temperature[q] / std::sqrt(dim) * product + bias[at] / unit;
            }
        }
        return result;
    }
};

struct Comparison {
    double worst = 0;      ///< difference of a logit, in units of its size or of 1
    bool is_valid = true;  ///< every visible logit is below infinity
    bool is_refused = false;
};

/// Of all heads of all layers, with learned values that changed since the workspace first saw the model.
Comparison compare(const scheme::Scheme& scheme, std::size_t length) {
    Model<double> model = model_of(scheme);
    const std::vector<Token> tokens = some_tokens(length, shape().vocabulary);
    Workspace<double> workspace;
    try {
        model.attention(tokens, 1, 1, Attention::logits, workspace);
    } catch (const core::PreconditionError&) {
        // The same is refused below, or is none any more.
    }
    for (const Slice& slice : model.layout().slices()) {
        if (!slice.name.starts_with("scheme.")) continue;
        for (double& value : model.parameters().subspan(slice.offset, slice.size())) value += 0.9;
    }
    Comparison result;
    for (std::size_t layer = 1; layer <= shape().layers; ++layer) {
        for (std::size_t head = 1; head <= shape().heads; ++head) {
            const std::vector<double> expected = Direct{model, length, layer, head}.logits();
            for (const double logit : expected) result.is_valid = result.is_valid && logit < INFINITY;
            try {
                const std::vector<double> found = model.attention(tokens, layer, head, Attention::logits, workspace);
                for (std::size_t at = 0; at < found.size(); ++at) {
                    if (found[at] == expected[at]) continue;
                    const double error = std::fabs(found[at] - expected[at]) / std::max(1.0, std::fabs(expected[at]));
                    result.worst = error <= result.worst ? result.worst : error;  // NaN stays
                }
            } catch (const core::PreconditionError&) {
                result.is_refused = true;
            }
        }
    }
    return result;
}

scheme::Scheme with_bias(const std::string& bias) {
    return *registry_with("[scheme.own]\nbias = \"" + bias + "\"\n").find("own");
}

/// The mean loss on some tokens.
double loss_of(const scheme::Scheme& scheme) {
    Model<double> model(shape(), scheme, 1);
    stir(model);
    Workspace<double> workspace;
    std::vector<double> gradient(model.layout().size());
    return model.forward_backward(windows(some_tokens(2 * 31, 5), 2, 30), workspace, gradient);
}

/// Schemes whose pieces have branches by head and layer.
class RandomScheme {
public:
    explicit RandomScheme(std::uint64_t seed)
        : pairs_(2 * seed, options({"q", "k", "n"})), queries_(2 * seed + 1, options({"q"})) {}

    scheme::Scheme next() {
        scheme::Scheme scheme;
        scheme.name = "random";
        scheme.causal = pairs_.below(3) > 0;
        scheme.learn = {{"a", 0.3, false, pairs_.below(2) == 0, pairs_.below(2) == 0, 0},
                        {"r", 0.1, false, pairs_.below(2) == 0, pairs_.below(2) == 0, 8}};
        scheme.bias = scheme::Piece{branches([&] { return bias(); }), when(), {}};
        scheme.bias_scaled = pairs_.below(4) == 0;
        if (pairs_.below(2) == 0) scheme.mask = scheme::Piece{branches([&] { return mask(); }), when(), {}};
        if (pairs_.below(2) == 0) {
            scheme.temperature = scheme::Piece{branches([&] { return one_to_three(queries_.real()); }), when(), {}};
        }
        if (pairs_.below(3) == 0) scheme.relative = scheme::Relative{3, true, pairs_.below(2) == 0};
        if (pairs_.below(3) == 0) scheme.rotate = rotation(scheme.relative.has_value());
        return scheme;
    }

private:
    using Random = tests::RandomFormula;

    static tests::RandomOptions options(std::vector<std::string> variables) {
        tests::RandomOptions options;
        options.variables = std::move(variables);
        for (const char* name : {"h", "layer", "L"}) options.variables.emplace_back(name);
        options.nodes = 9;
        options.exact = true;
        options.roundings = false;
        options.binary_numbers = true;
        return options;
    }

    static Node parsed(const std::string& text) { return formula::parse(text); }

    /// One of the pieces, or one or the other by head or layer.
    template <class Make>
    Node branches(Make make) {
        static const std::vector<std::string> conditions = {
            "h == 2",        "h == 3",         "layer == 2",           "layer == 2 and h > 2",
            "h % 2 == 0",    "h * layer == 6", "h == 1 or layer == 3", "min(h, layer) == 2",
            "h + layer > L", "2^h == 8"};
        Node result = make();
        for (std::size_t count = pairs_.below(3); count > 0; --count) {
            result = formula::make(Op::select, {parsed(conditions[pairs_.below(conditions.size())]), result, make()});
        }
        return result;
    }

    Node when() {
        static const std::vector<std::string> conditions = {"h != 3", "layer == 2", "L > Ltr", "L > Ltr or h == 2"};
        return pairs_.below(4) > 0 ? nullptr : parsed(conditions[pairs_.below(conditions.size())]);
    }

    Node bias() {
        static const std::vector<std::string> known = {"-n",
                                                       "-0.25*k",
                                                       "-h*n/8",
                                                       "r[t5_bucket(abs(n), 8, 32)]",
                                                       "-a*n",
                                                       "a*(q - 2*k)",
                                                       "r[h]*layer",
                                                       "-abs(n)",
                                                       "k - q",
                                                       "0",
                                                       "r[t5_bucket(max(n, 0), 8, 16)] - a*k",
                                                       "-(q+1)+(k+1)"};
        const std::size_t choice = pairs_.below(known.size() + 4);
        return choice < known.size() ? parsed(known[choice]) : pairs_.real();
    }

    Node mask() {
        static const std::vector<std::string> known = {
            "n < 4", "n >= 0", "k <= q and n < 2*h", "n % 2 == 0 or n < layer", "abs(n) < 40", "k < 3 or n == 0"};
        const std::size_t choice = pairs_.below(known.size() + 2);
        return choice < known.size() ? parsed(known[choice]) : pairs_.boolean();
    }

    static Node one_to_three(const Node& tree) {
        return formula::substitute(parsed("2 + clamp(x, -1, 1)"), {{"x", tree}});
    }

    scheme::Rotation rotation(bool is_alone) {
        scheme::Rotation rotation;
        static const std::vector<std::string> angles = {"p*0.5^i", "p/(h + i)", "-p*layer", "a*p", "p == h ? 1 : 0"};
        rotation.angle = {branches([&] { return parsed(angles[pairs_.below(angles.size())]); }), when(), {}};
        if (pairs_.below(2) == 0)
            rotation.scale = scheme::Piece{branches([&] { return parsed("1 + p/(8*h + i)"); }), when(), {}};
        if (!is_alone && pairs_.below(3) > 0) {
            const auto angle = [&] {
                return scheme::Piece{branches([&] { return parsed(angles[pairs_.below(angles.size())]); }), when(), {}};
            };
            rotation.far.emplace(scheme::FarRotation{{branches([&] { return mask(); }), nullptr, {}}, angle(), {}});
            if (pairs_.below(2) == 0) rotation.far->key = angle();
        }
        rotation.pairs = pairs_.below(2) == 0 ? scheme::Pairs::halves : scheme::Pairs::interleaved;
        rotation.fraction = pairs_.below(2) == 0 ? 1 : 0.5;
        return rotation;
    }

    Random pairs_;
    Random queries_;
};

std::string described(const scheme::Scheme& scheme) {
    std::string text = "causal " + std::to_string(scheme.causal) + ", bias " + formula::print(scheme.bias->formula);
    if (scheme.bias->when) text += " when " + formula::print(scheme.bias->when);
    if (scheme.mask) text += ", mask " + formula::print(scheme.mask->formula);
    if (scheme.mask && scheme.mask->when) text += " when " + formula::print(scheme.mask->when);
    if (scheme.temperature) text += ", temperature " + formula::print(scheme.temperature->formula);
    if (scheme.rotate) text += ", angle " + formula::print(scheme.rotate->angle.formula);
    if (scheme.rotate && scheme.rotate->far)
        text += ", far " + formula::print(scheme.rotate->far->query.formula) + " where " +
                formula::print(scheme.rotate->far->where.formula);
    return text;
}

}  // namespace

TEST_CASE("a bias of one head or layer in the middle is that head's or layer's own") {
    for (const std::string name : {"h", "layer"}) {
        const scheme::Scheme of_keys = with_bias("if(" + name + " == 2, -0.1*k, -n)");
        const scheme::Scheme without = with_bias("if(" + name + " == 2, 0, -n)");
        for (const scheme::Scheme& scheme : {of_keys, without}) {
            const Comparison found = compare(scheme, 70);
            CHECK_FALSE(found.is_refused);
            CHECK(found.worst <= 1e-14);  // a product of four numbers of size 1 is rounded seven times
        }
        CHECK(std::fabs(loss_of(of_keys) - loss_of(without)) > 1e-6);
    }
}

TEST_CASE("a bias without a value is refused if its distance is visible to any of the heads that share it") {
    const auto scheme = [](const std::string& mask) {
        return *registry_with("[scheme.own]\nbias = \"sqrt(3 - n)\"\nmask = \"" + mask + "\"\n").find("own");
    };
    CHECK_FALSE(compare(scheme("n < 4"), 20).is_refused);
    CHECK_FALSE(compare(scheme("if(h == 3, n < 4, n < 2)"), 20).is_refused);
    for (const char* mask : {"if(h == 3, n < 5, n < 4)", "if(layer == 2, n < 5, n < 4)"}) {
        INFO(mask);
        CHECK(compare(scheme(mask), 20).is_refused);
    }
}

TEST_CASE("a table follows a learned name even if the derivative of its formula is 0") {
    const scheme::Scheme scheme =
        *registry_with("[scheme.own]\nbias = \"-floor(2*a)*n\"\nlearn = { a = { init = 0.6 } }\n").find("own");
    const Comparison found = compare(scheme, 20);
    CHECK_FALSE(found.is_refused);
    CHECK(found.worst <= 1e-14);
}

TEST_CASE("logits under random schemes are those of their formulas at each query, key, head and layer") {
    std::size_t compared = 0, refused = 0, far = 0;
    for (std::uint64_t seed = 0; seed < 80; ++seed) {
        const scheme::Scheme scheme = RandomScheme(seed).next();
        const std::size_t length = seed % 8 == 0 ? 70 : 5 + seed % 23;
        INFO("seed " << seed << ", length " << length << ": " << described(scheme));
        const Comparison found = compare(scheme, length);
        CHECK(found.is_refused == !found.is_valid);
        if (found.is_refused) {
            ++refused;
            continue;
        }
        ++compared;
        if (scheme.rotate && scheme.rotate->far) ++far;
        // Rounding of sums of some ten terms, and of a bias by way of its distance.
        CHECK(found.worst <= 1e-12);
    }
    CHECK(compared > 50);
    CHECK(refused > 3);
    CHECK(far > 5);
}
