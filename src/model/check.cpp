#include <farfield/model/check.hpp>
#include <vector>

#include "model/positions.hpp"

namespace farfield::model {

PieceError::PieceError(std::string piece, std::string value, const std::string& wanted)
    : PreconditionError("model::Positions", "scheme." + piece, value, wanted),
      piece_(std::move(piece)),
      value_(std::move(value)) {}

void check_scheme(const Config& config, const scheme::Scheme& scheme, std::size_t length, Formulas formulas) {
    Layout layout;
    const auto pieces = std::make_shared<const Pieces>(config, scheme, layout);
    std::vector<float> learned(layout.size());
    pieces->names.start<float>(learned);
    Positions<float> tables(pieces, length);
    if (formulas == Formulas::all)
        tables.update(learned);
    else
        tables.update_fixed();
}

}  // namespace farfield::model
