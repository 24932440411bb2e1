// A scheme at positions by its definition: docs/adding-a-scheme.md and docs/quantities/logit-error.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "recheck/format.hpp"
#include "soundness/judges.hpp"

namespace farfield::soundness {

class SchemeOracle {
public:
    /// Formulas see these values of h, H, d, L, Ltr, layer and R, 1 where the question has none.
    SchemeOracle(const Question& question, long length);

    bool has(const std::string& piece) const { return pieces_.count(piece) != 0; }
    void set(const std::string& variable, long value);
    recheck::Number bias(const recheck::Number& query, const recheck::Number& key);
    recheck::Truth sees(long query, long key);
    recheck::Number temperature(long query);
    recheck::Number angle(const recheck::Number& position, long pair);
    /// Of a sequence of so many tokens, from whose centre or end positions may be counted.
    recheck::Number scale(const recheck::Number& position, long pair, long tokens);

private:
    recheck::Number at(const std::string& piece, Point point);

    std::map<std::string, Formula> pieces_;
    std::string origin_;
    Point context_;
    bool is_causal_;
};

/// What is rounded to a format, and how.
struct Steps {
    const recheck::Format* format = nullptr;
    bool rounds_positions = true;
    bool rounds_frequencies = true;
};

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
    std::optional<recheck::Number> bias_error(long query, long key);
    const Turn& exact(long position, long pair);
    const Turn& rounded(long position, long pair);

private:
    std::optional<recheck::Number> in_format(const recheck::Number& value) const;
    std::optional<recheck::Number> rounded_position(long position) const;

    SchemeOracle& scheme_;
    Steps steps_;
    long tokens_;
    std::map<std::pair<long, long>, Turn> exact_, rounded_;
};

}  // namespace farfield::soundness
