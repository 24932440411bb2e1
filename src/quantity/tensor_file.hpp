// A tensor of a file that a study names.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <farfield/core/keys.hpp>
#include <farfield/quantity/kind.hpp>
#include <farfield/tensor/tensor.hpp>

namespace farfield::quantity {

inline constexpr core::Key tensor_file_key = {
    .name = "file",
    .type = core::KeyType::text,
    .required = true,
    .meaning = "a .npy, .npz or .safetensors file, named from the study's folder"};
inline constexpr core::Key tensor_name_key = {.name = "tensor",
                                              .type = core::KeyType::text,
                                              .fallback = "the only one",
                                              .meaning = "which of the file's tensors"};

/// A file and one of its tensors.
struct TensorFile {
    std::string path;   ///< "": the study names none
    std::string name;   ///< of the tensor; "": the only one
    core::Place place;  ///< of the file's name in the study

    tensor::Tensor open() const { return tensor::open_tensor(path, name); }
    /// The bytes of the file, for Prepared::cost(): each is read once.
    double cost() const;
};

/// Reads the file's keys; reports a missing file.
TensorFile read_tensor_file(const Declaration& declaration, std::string_view file_key, std::string_view tensor_key,
                            core::Problems& problems);

/// The result of `compute`. A core::UserError that knows only the file is rethrown with the place of the file's name in
/// the study, and with the file in its text.
core::Result placed(const TensorFile& file, const std::function<core::Result()>& compute);

}  // namespace farfield::quantity
