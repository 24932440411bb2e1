#include "quantity/tensor_file.hpp"

#include <filesystem>
#include <optional>
#include <vector>

#include "quantity/selection.hpp"

namespace farfield::quantity {

double TensorFile::cost() const {
    std::error_code failure;
    const auto size = std::filesystem::file_size(path, failure);
    return failure ? 1 : static_cast<double>(size);
}

TensorFile read_tensor_file(const Declaration& declaration, std::string_view file_key, std::string_view tensor_key,
                            core::Problems& problems) {
    const std::optional<std::string> name = core::read_text(declaration.settings, file_key);
    if (!name) return {};
    const std::filesystem::path path = std::filesystem::path(declaration.folder) / *name;
    const core::Place place = place_of_key(declaration, file_key);
    std::error_code failure;
    if (std::filesystem::status(path, failure).type() == std::filesystem::file_type::not_found)
        problems.add(place, "cannot read '" + path.string() + "'", std::string(tensor_file_key.meaning));
    return {path.string(), core::read_text(declaration.settings, tensor_key).value_or(""), place};
}

core::Result placed(const TensorFile& file, const std::function<core::Result()>& compute) {
    try {
        return compute();
    } catch (const core::UserError& error) {
        std::vector<core::Diagnostic> list = error.diagnostics();
        for (core::Diagnostic& each : list) {
            if (!each.place.file.empty()) each.found = each.place.file + ": " + each.found;
            each.place = file.place;
        }
        throw core::UserError(std::move(list));
    }
}

}  // namespace farfield::quantity
