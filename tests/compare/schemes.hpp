// The built-in schemes and one more, and tensors in memory, for tests.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>
#include <farfield/tensor/tensor.hpp>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace farfield::compare {

/// The built-in schemes and those of a document.
inline scheme::Registry with_scheme(const std::string& toml) {
    scheme::Registry schemes = scheme::Registry::builtin();
    core::Problems problems;
    schemes.add(*scheme::read_toml(toml, "own.toml").find("scheme")->value.entries(), problems);
    problems.raise();
    return schemes;
}

/// The built-in schemes and one named "own".
inline scheme::Registry with_own(const std::string& toml) {
    return with_scheme("[scheme.own]\n" + toml);
}

/// The built-in schemes and rotary with a fraction of each head turned, under the name "partial".
inline scheme::Registry with_partial_rotation(const std::string& fraction) {
    return with_scheme("[scheme.partial]\nextends = 'rotary'\nrotate = { angle = 'p * base^(-2*i/d)', fraction = " +
                       fraction + " }\n");
}

/// A tensor of float32 or float64 that holds a copy of the numbers.
template <class Number>
tensor::Tensor tensor_of(const std::vector<std::size_t>& shape, const std::vector<Number>& numbers) {
    const auto type = std::is_same_v<Number, float> ? tensor::ElementType::float32 : tensor::ElementType::float64;
    const auto kept = std::make_shared<const std::vector<Number>>(numbers);
    return tensor::tensor_in_memory({"", type, shape}, std::as_bytes(std::span(*kept)), kept, "array");
}

}  // namespace farfield::compare
