#include "export/module.hpp"

#include <algorithm>
#include <cctype>

#include "export/written.hpp"

namespace farfield::exporting {

namespace {

using formula::Node;
using formula::Op;

bool uses(const scheme::Scheme& scheme, const std::vector<Node>& trees, std::string_view name) {
    const std::vector<std::string> used = used_names(scheme, trees);
    return std::find(used.begin(), used.end(), name) != used.end();
}

/// Whether the formulas differ between heads.
bool differs_by_head(const scheme::Scheme& scheme, const std::vector<Node>& trees) {
    if (uses(scheme, trees, "h")) return true;
    return std::any_of(scheme.learn.begin(), scheme.learn.end(),
                       [&](const scheme::Learned& each) { return each.per_head && uses(scheme, trees, each.name); });
}

std::string broadcast(const Language& language, const std::string& value, const std::string& shape) {
    return std::string(language.module) + ".broadcast_to(" + value + ", " + shape + ")";
}

/// Whether functions take the type of their results as `dtype`.
bool has_dtype(const Language& language) {
    return !language.arithmetic.empty();
}

std::string cast(const Language& language, const std::string& value) {
    return filled(language.cast, {value});
}

/// The arguments of a function of queries and keys, and of heads if it differs between heads.
Function of_pairs(std::string name, bool by_head) {
    Function function;
    function.name = std::move(name);
    function.positional = {"queries", "keys"};
    if (by_head) function.positional.insert(function.positional.begin(), "heads");
    function.first = "keys - queries";
    function.length = "offset + queries";
    function.width = "head_dim";
    function.by_head = "[:, None, None]";
    return function;
}

/// The same for the rotated pairs of columns at a number of positions.
Function of_rotation(std::string name, const scheme::Rotation& rotation, bool by_head) {
    Function function;
    function.name = std::move(name);
    function.positional = {"positions", "head_dim"};
    if (by_head) function.positional.insert(function.positional.begin(), "heads");
    function.first = "0";
    function.length = "offset + positions";
    function.width = "head_dim";
    if (rotation.fraction != 1)
        // A double's product may be below the whole number of the decimal's.
        function.width = "round(" + python_number(formula::make_number(rotation.fraction)->text) + " * head_dim, 9)";
    function.by_head = "[:, None, None]";
    return function;
}

Function bias_function(const scheme::Scheme& scheme, const Language& language) {
    Function function = of_pairs("bias", true);
    function.summary = "What is added to the logits q . k / sqrt(head_dim), [heads, queries, keys].";
    function.steps = {{"values", written_bias(scheme)}};
    function.result = broadcast(language, cast(language, "values"), "(heads, queries, keys)");
    function.is_clamped = scheme.causal;
    return function;
}

Function mask_function(const scheme::Scheme& scheme, const Language& language) {
    const Node formula = scheme.mask ? written_mask(scheme) : nullptr;
    const bool by_head = formula && differs_by_head(scheme, {formula});
    const std::string shape = by_head ? "(heads, queries, keys)" : "(queries, keys)";
    Function function = of_pairs("mask", by_head);
    function.summary = std::string("True where a key is visible to a query, ") +
                       (by_head ? "[heads, queries, keys]." : "[queries, keys].");
    if (formula) function.steps = {{"values", formula}};
    function.is_causal = scheme.causal;
    const bool is_torch = language.target == "torch";
    const std::string all = std::string(language.module) +
                            ".ones((queries, keys), dtype=" + (is_torch ? "torch.bool, device=device)" : "bool)");
    const std::string values = formula && scheme.causal ? "visible & values" : formula ? "values" : "visible";
    function.result = formula || scheme.causal ? broadcast(language, values, shape) : all;
    return function;
}

Function temperature_function(const scheme::Scheme& scheme, const Language& language) {
    Function function;
    const Node factor = guarded(*scheme.temperature, "1");
    const bool by_head = differs_by_head(scheme, {factor});
    function.name = "temperature";
    function.summary = std::string("What the logits q . k / sqrt(head_dim) are multiplied by, ") +
                       (by_head ? "[heads, queries]." : "[queries].");
    function.positional = {"queries"};
    if (by_head) function.positional.insert(function.positional.begin(), "heads");
    function.steps = {{"values", factor}};
    function.result = broadcast(language, cast(language, "values"), by_head ? "(heads, queries)" : "(queries,)");
    function.first = uses(scheme, {factor}, "q") ? "0" : "";
    function.length = uses(scheme, {factor}, "q") ? "offset + queries" : "queries";
    function.width = "head_dim";
    function.by_head = "[:, None]";
    return function;
}

/// The line that makes p count from the scale's origin; public code counts from half the length, rounded up.
std::string from_origin(scheme::Origin origin) {
    if (origin == scheme::Origin::centre) return "p = p - math.ceil(length / 2)  # the scale counts from the centre";
    if (origin == scheme::Origin::end) return "p = p - (length - 1)  # the scale counts from the end";
    return "";
}

Function rotation_function(const scheme::Scheme& scheme, const Language& language) {
    const scheme::Rotation& rotation = *scheme.rotate;
    const std::string module(language.module);
    std::vector<Step> steps = {{"angle", guarded(rotation.angle, "0")}};
    if (rotation.values) {
        const Node angle = steps.front().formula;
        steps = {{"cosine", scheme::wave_value(scheme, formula::make(Op::cosine, {angle}))},
                 {"sine", scheme::wave_value(scheme, formula::make(Op::sine, {angle}))}};
    }
    if (rotation.scale) steps.push_back({"scale", guarded(*rotation.scale, "1"), from_origin(rotation.origin)});
    std::vector<Node> trees;
    trees.reserve(steps.size());
    for (const Step& step : steps) trees.push_back(step.formula);
    const bool by_head = differs_by_head(scheme, trees);
    const std::string shape = by_head ? "(heads, positions, pairs)" : "(positions, pairs)";
    Function function = of_rotation("rotation", rotation, by_head);
    function.steps = std::move(steps);
    function.summary = std::string(rotation.scale ? "Cosine, sine and scale" : "Cosine and sine") +
                       " for so many positions from `offset` on, each " +
                       (by_head ? "[heads, positions, pairs]." : "[positions, pairs].");
    if (rotation.values) {
        function.after =
            "cosine, sine = " + broadcast(language, "cosine", shape) + ", " + broadcast(language, "sine", shape);
        function.result = cast(language, "cosine") + ", " + cast(language, "sine");
    } else {
        function.after = "angle = " + broadcast(language, "angle", shape);
        function.result = cast(language, module + ".cos(angle)") + ", " + cast(language, module + ".sin(angle)");
    }
    if (rotation.scale) function.result += ", " + broadcast(language, cast(language, "scale"), shape);
    function.needs_length = rotation.scale && rotation.origin != scheme::Origin::start;
    return function;
}

/// The function that tells where the second rotation applies.
Function far_function(const scheme::Scheme& scheme, const Language& language) {
    const Node written = guarded(scheme.rotate->far->where, "1 == 1");
    const bool by_head = differs_by_head(scheme, {written});
    const std::string shape = by_head ? "(heads, queries, keys)" : "(queries, keys)";
    Function function = of_pairs("far", by_head);
    function.summary = std::string("True where the logit is that of q and k rotated by rotate_far, ") +
                       (by_head ? "[heads, queries, keys]." : "[queries, keys].");
    function.steps = {{"values", written}};
    function.result = broadcast(language, "values", shape);
    return function;
}

/// Cosines and sines of the second rotation's angles.
Function far_rotation_function(const scheme::Scheme& scheme, const Language& language) {
    const scheme::Rotation& rotation = *scheme.rotate;
    const scheme::FarRotation& far = *rotation.far;
    const Node query = guarded(far.query, "0");
    const Node key = guarded(far.key ? *far.key : rotation.angle, "0");
    const bool by_head = differs_by_head(scheme, {query, key});
    const std::string shape = by_head ? "(heads, positions, pairs)" : "(positions, pairs)";
    Function function = of_rotation("far_rotation", rotation, by_head);
    function.summary = std::string("Cosine and sine of queries, then of keys, under the second rotation, each ") +
                       (by_head ? "[heads, positions, pairs]." : "[positions, pairs].");
    for (const auto& [of, angle] : {std::pair{"query", query}, std::pair{"key", key}}) {
        const auto wave = [&, turned = angle](Op op) {
            return scheme::wave_value(scheme, formula::make(op, {turned}));
        };
        const std::string cosine = std::string(of) + "_cosine", sine = std::string(of) + "_sine";
        function.steps.push_back({cosine, wave(Op::cosine)});
        function.steps.push_back({sine, wave(Op::sine)});
        for (const std::string& name : {cosine, sine})
            function.result += (function.result.empty() ? "" : ", ") + broadcast(language, cast(language, name), shape);
    }
    return function;
}

Function embedding_function(const scheme::Scheme& scheme, const Language& language) {
    const Node nothing = formula::make_number("0");
    const auto or_nothing = [&](const std::optional<scheme::Piece>& piece) {
        return piece ? guarded(*piece, "0") : nothing;
    };
    const std::string shape = "(positions, pairs)";
    Function function;
    function.name = "embedding";
    function.summary =
        "What is added to the token embedding at so many positions from `offset` on, [positions, width].";
    function.positional = {"positions", "width"};
    function.steps = {{"even", or_nothing(scheme.embed->even)}, {"odd", or_nothing(scheme.embed->odd)}};
    function.after = "pair = " + broadcast(language, cast(language, "even"), shape) + ", " +
                     broadcast(language, cast(language, "odd"), shape);
    function.result = std::string(language.module) + ".stack(pair, -1).reshape(positions, 2 * pairs)[:, :width]";
    function.first = "0";
    function.length = "offset + positions";
    function.width = "width";
    return function;
}

/// A function of Python, and the two empty lines after it.
std::string def(const std::string& name, const std::string& arguments, const std::string& summary,
                const std::string& body) {
    return "def " + name + "(" + arguments + "):\n    \"\"\"" + summary + "\"\"\"\n" + body + "\n\n";
}

/// The source that rotates x by tables. Half types are widened for this, and the result is cast.
std::string rotated_text(const scheme::Rotation& rotation, const Language& language) {
    const std::string module(language.module);
    const bool is_part = rotation.fraction != 1;
    const bool is_scaled = rotation.scale.has_value();
    std::string body;
    if (has_dtype(language)) body += "    dtype, x = x.dtype, _wide(x)\n";
    if (is_part) body += "    x, rest = x[..., :2 * cos.shape[-1]], x[..., 2 * cos.shape[-1]:]\n";
    body +=
        "    if pairs == \"halves\":\n        a, b = x[..., :cos.shape[-1]], x[..., cos.shape[-1]:]\n"
        "    else:\n        a, b = x[..., 0::2], x[..., 1::2]\n"
        "    a, b = a * cos - b * sin, b * cos + a * sin\n";
    if (is_scaled) body += "    a, b = a * factor, b * factor\n";
    body += "    x = " + module + ".concatenate((a, b), -1) if pairs == \"halves\" else " + module +
            ".stack((a, b), -1).reshape(x.shape)\n";
    const std::string whole = is_part ? module + ".concatenate((x, rest), -1)" : "x";
    return def("_rotated", std::string("x, cos, sin, pairs") + (is_scaled ? ", factor" : ""),
               "x with its pairs (2i, 2i + 1) rotated, or its pairs (i, i + half) where pairs is halves.",
               body + "    return " + cast(language, whole) + "\n");
}

std::string rotate_text(const scheme::Rotation& rotation, const Language& language) {
    const bool is_scaled = rotation.scale.has_value();
    const std::string own = rotation.pairs == scheme::Pairs::halves ? "halves" : "interleaved";
    const std::string of_queries = "cos[..., first:, :], sin[..., first:, :], pairs";
    std::string body =
        "    if pairs not in (\"interleaved\", \"halves\"):\n"
        "        raise ValueError(f\"pairs is {pairs!r}: write 'interleaved' or 'halves'\")\n";
    if (is_scaled && has_dtype(language)) body += "    scale = _wide(scale)\n";
    body += "    first = k.shape[-2] - q.shape[-2]\n    return _rotated(q, " + of_queries +
            (is_scaled ? ", scale[..., first:, :]" : "") + "), _rotated(k, cos, sin, pairs" +
            (is_scaled ? ", 1.0 / scale" : "") + ")\n";
    return rotated_text(rotation, language) +
           def("rotate", std::string("q, k, cos, sin") + (is_scaled ? ", scale" : "") + ", *, pairs=\"" + own + "\"",
               std::string("q and k [..., positions, head_dim], rotated") +
                   (is_scaled ? "; q is multiplied by the scale, k divided by it" : "") +
                   ".\n\n    The tables have a row for each key; fewer queries than keys are the last ones. "
                   "pairs=\"interleaved\" rotates the\n    dimensions 2i and 2i + 1 together, pairs=\"halves\" the "
                   "dimensions i and i + half.\n    ",
               body);
}

/// The application of the second rotation.
std::string rotate_far_text(const scheme::Rotation& rotation, const Language& language) {
    const bool is_scaled = rotation.scale.has_value();
    const std::string own = rotation.pairs == scheme::Pairs::halves ? "halves" : "interleaved";
    std::string body;
    if (is_scaled && has_dtype(language)) body += "    scale = _wide(scale)\n";
    body += std::string(
                "    first = k.shape[-2] - q.shape[-2]\n    return _rotated(q, query_cos[..., first:, :], "
                "query_sin[..., first:, :], pairs") +
            (is_scaled ? ", scale[..., first:, :]" : "") + "), _rotated(k, key_cos, key_sin, pairs" +
            (is_scaled ? ", 1.0 / scale" : "") + ")\n";
    return def("rotate_far",
               std::string("q, k, query_cos, query_sin, key_cos, key_sin") + (is_scaled ? ", scale" : "") +
                   ", *, pairs=\"" + own + "\"",
               std::string("q and k, before `rotate`, by the tables of far_rotation") +
                   (is_scaled ? " and the scale of rotation" : "") + ": of the logits where `far` is true.",
               body);
}

std::string relative_text(const scheme::Scheme& scheme, const Language& language) {
    const scheme::Relative& relative = *scheme.relative;
    const std::string module(language.module);
    const std::string clip = std::to_string(relative.clip);
    const bool has_device = language.extra.find("device") != std::string::npos;
    const std::string integers =
        filled(language.integers, {"queries"}) + ")[:, None] - " + filled(language.integers, {"keys"});
    std::string text =
        def("relative", std::string("queries, keys, *, offset=None") + (has_device ? ", device=None" : ""),
            scheme.causal ? "Which vector a query takes for a key, [queries, keys]: the distance, " + clip + " at most."
                          : "Which vector a query takes for a key, [queries, keys]: the distance within " + clip +
                                " either way, plus " + clip + ".",
            "    offset = keys - queries if offset is None else offset\n    n = (offset + " + integers +
                "\n    return " + module + ".clip(n, " +
                (scheme.causal ? "0, " + clip + ")\n" : "-" + clip + ", " + clip + ") + " + clip + "\n"));
    const std::string device_of_q = has_device ? ", device=q.device" : "";
    const std::string device_of_weights = has_device ? ", device=weights.device" : "";
    if (relative.keys) {
        text += def("relative_scores", "q, vectors, keys, *, offset=None",
                    "q . vectors, [..., queries, keys], to be added to q . k before it is divided by "
                    "sqrt(head_dim).",
                    "    classes = relative(q.shape[-2], keys, offset=offset" + device_of_q + ")\n    return " +
                        module + ".einsum(\"...qd,qkd->...qk\", q, vectors[classes])\n");
    }
    if (relative.values) {
        text += def("relative_values", "weights, vectors, *, offset=None",
                    "The vectors by the weights of a softmax, [..., queries, head_dim], to be added to its "
                    "values.",
                    "    classes = relative(*weights.shape[-2:], offset=offset" + device_of_weights + ")\n    return " +
                        module + ".einsum(\"...qk,qkd->...qd\", weights, vectors[classes])\n");
    }
    return text;
}

}  // namespace

std::vector<Function> functions_of(const scheme::Scheme& scheme, const Language& language) {
    std::vector<Function> functions;
    if (scheme.embed && !scheme.embed->learned) functions.push_back(embedding_function(scheme, language));
    if (scheme.rotate) functions.push_back(rotation_function(scheme, language));
    if (scheme.rotate && scheme.rotate->far) {
        functions.push_back(far_rotation_function(scheme, language));
        functions.push_back(far_function(scheme, language));
    }
    if (scheme.bias) functions.push_back(bias_function(scheme, language));
    functions.push_back(mask_function(scheme, language));
    if (scheme.temperature) functions.push_back(temperature_function(scheme, language));
    return functions;
}

std::string application_text(const scheme::Scheme& scheme, const Language& language) {
    std::string text;
    if (scheme.embed && scheme.embed->learned) {
        const std::string most = std::to_string(scheme.embed->max_length);
        text += def("embedding", "vectors, positions, *, offset=0",
                    "What is added to the token embedding: learned vectors [" + most + ", width], from `offset` on.",
                    "    if offset + positions > " + most +
                        ":\n        raise ValueError(f\"{offset + positions} positions; there are " + most +
                        " vectors\")\n    return vectors[offset:offset + positions]\n");
    }
    if (scheme.rotate) text += rotate_text(*scheme.rotate, language);
    if (scheme.rotate && scheme.rotate->far) text += rotate_far_text(*scheme.rotate, language);
    if (scheme.relative) text += relative_text(scheme, language);
    return text;
}

std::string class_name(const std::string& scheme) {
    std::string name;
    bool starts = true;
    for (const char c : scheme) {
        const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0;
        if (fits) name += starts ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        starts = !fits;
    }
    const bool is_name = !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0;
    // The source raises and uses these names of Python.
    constexpr std::string_view taken[] = {"None", "True", "False", "ValueError"};
    const bool is_free = std::find(std::begin(taken), std::end(taken), name) == std::end(taken);
    return is_name && is_free ? name : "Scheme" + name;
}

std::string assembled(const Language& language, const std::string& docstring, const std::string& body) {
    std::string code = helpers_in(language, body) + body;
    while (code.ends_with("\n\n")) code.pop_back();
    std::string imports;
    for (const std::string_view module : {"fractions", "functools", "math", "operator"})
        if (code.find(std::string(module) + ".") != std::string::npos)
            imports += "import " + std::string(module) + "\n";
    if (!imports.empty()) imports += "\n";
    return docstring + imports + std::string(language.import_line) + "\n\n" + code;
}

}  // namespace farfield::exporting
