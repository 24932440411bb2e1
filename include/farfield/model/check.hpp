// Numbers of a scheme that a model cannot represent, found before anything is trained.
#pragma once

#include <cstddef>
#include <string>

#include <farfield/core/error.hpp>
#include <farfield/model/config.hpp>
#include <farfield/scheme/scheme.hpp>

namespace farfield::model {

/// A piece of the scheme has no value that a model can compute with.
class PieceError : public core::PreconditionError {
public:
    /// `piece` is the key in the study file: "bias", "rotate.scale", "embed.even".
    PieceError(std::string piece, std::string value, const std::string& wanted);

    const std::string& piece() const { return piece_; }
    const std::string& value() const { return value_; }  ///< "nan at head 2, layer 1, distance 0"

private:
    std::string piece_;
    std::string value_;
};

/// Which formulas are computed: all, or only those without learned names, whose values do not change in training.
enum class Formulas { all, fixed };

/// Computes the scheme's tables for a model of floats at a length, learned names at their `init`. Throws PieceError for
/// a number that is used and that a float cannot represent: a bias at a visible key (-inf is allowed), a temperature, a
/// rotation, an embedding.
void check_scheme(const Config& config, const scheme::Scheme& scheme, std::size_t length, Formulas formulas);

}  // namespace farfield::model
