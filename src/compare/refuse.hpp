// What is said of a tensor that cannot be compared.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <string>
#include <utility>

namespace farfield::compare {

[[noreturn]] inline void refuse(const std::string& file, std::string found, std::string wanted = {},
                                std::string hint = {}) {
    core::Place place;
    place.file = file;
    throw core::UserError({core::Diagnostic{place, std::move(found), std::move(wanted), std::move(hint)}});
}

}  // namespace farfield::compare
