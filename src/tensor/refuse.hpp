// Error messages for files with invalid content.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <string>
#include <utility>

namespace farfield::tensor {

[[noreturn]] inline void refuse(const std::string& path, std::string found, std::string wanted = {},
                                std::string hint = {}) {
    core::Place place;
    place.file = path;
    throw core::UserError({core::Diagnostic{place, std::move(found), std::move(wanted), std::move(hint)}});
}

}  // namespace farfield::tensor
