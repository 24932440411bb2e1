// A scheme at positions by its definition: docs/adding-a-scheme.md and docs/quantities/logit-error.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "recheck/format.hpp"
#include "soundness/judges.hpp"

namespace farfield::soundness {

/// Which angles a pair of a query and a key is rotated by.
enum class Turned { near, far_query, far_key };

class SchemeOracle {
public:
    /// Formulas see these values of h, H, d, L, Ltr, layer and R, 1 where the question has none.
    SchemeOracle(const Question& question, long length);

    bool has(const std::string& piece) const { return pieces_.count(piece) != 0; }
    /// Pairs of dimensions that turn.
    long pairs() const { return has("angle") ? pairs_ : 0; }
    void set(const std::string& variable, long value);
    recheck::Number bias(const recheck::Number& query, const recheck::Number& key);
    /// As the recipe of the scheme computes it.
    recheck::Number computed_bias(long query, long key);
    recheck::Truth sees(long query, long key);
    /// Whether the angles are those of `far`; nothing where the condition has no value.
    std::optional<recheck::Truth> is_far(long query, long key);
    recheck::Number temperature(long query);
    recheck::Number angle(const recheck::Number& position, long pair);
    /// The position whose angle it is: of near pairs itself.
    recheck::Number position(Turned turned, const recheck::Number& position);
    /// Of a sequence of so many tokens, from whose centre or end positions may be counted.
    recheck::Number scale(const recheck::Number& position, long pair, long tokens);

private:
    recheck::Number at(const std::string& piece, Point point, long otherwise, bool is_of_rotation);
    Point with_context(Point point, bool is_of_rotation) const;

    std::map<std::string, Formula> pieces_;
    std::string origin_;
    Point context_;
    bool is_causal_;
    long width_ = 1;
    long rotated_width_ = 1;
    long pairs_ = 0;
    std::pair<std::string, std::string> recipe_;  ///< and its format
};

/// What is rounded, and to which format; null: not.
struct Steps {
    const recheck::Format* position = nullptr;
    const recheck::Format* frequency = nullptr;
    const recheck::Format* angle = nullptr;
    const recheck::Format* value = nullptr;
    const recheck::Format* scale = nullptr;
    const recheck::Format* bias = nullptr;
    /// What a frequency is computed from: itself; the power i of the rounded one of pair 1; or each angle is that of
    /// the pair before times the rounded one of pair 1.
    enum class From { itself, power, previous } from = From::itself;

    static Steps all(const std::string& format, bool rounds_frequencies);
    /// docs/safe-length.md, recipes.
    static Steps of_recipe(const std::string& name, const std::string& format);
};

/// One pair's part of the attention expectation of a query and a key, and the sum over pairs of a query and the key 0.
recheck::Number expected_turn(SchemeOracle& scheme, long from, long to, long pair, long length);
recheck::Number expected_score(SchemeOracle& scheme, long distance, long pairs, long length);

/// A pair of dimensions at a position. What is not one number for certain is empty, what overflows infinite.
struct Turn {
    std::optional<recheck::Number> cosine, sine, scale, reciprocal;
};

/// Turns and errors of one head and layer, each computed once.
class RoundedScheme {
public:
    RoundedScheme(SchemeOracle& scheme, const Steps& steps, long tokens)
        : scheme_(scheme), steps_(steps), tokens_(tokens) {}

    /// |conj(u~) v~ - conj(u) v| of a pair; infinite where a number overflows; nothing where a rounding is not certain.
    std::optional<recheck::Number> rotation_error(long query, long key, long pair);
    /// The same by the angles of near pairs or of far ones.
    std::optional<recheck::Number> rotation_error(long query, long key, long pair, bool is_far);
    std::optional<recheck::Number> bias_error(long query, long key);
    const Turn& exact(long position, long pair, Turned turned = Turned::near);
    const Turn& rounded(long position, long pair, Turned turned = Turned::near);

private:
    using Place = std::tuple<long, long, Turned>;

    static std::optional<recheck::Number> in_format(const recheck::Format* format, const recheck::Number& value);
    std::optional<recheck::Number> rounded_angle(const recheck::Number& position, long pair);

    SchemeOracle& scheme_;
    Steps steps_;
    long tokens_;
    std::map<Place, Turn> exact_, rounded_;
};

}  // namespace farfield::soundness
