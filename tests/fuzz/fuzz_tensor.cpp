// The readers of tensors on any bytes: they may refuse them with a UserError, and nothing else may happen. The first
// byte chooses the format.
#include <algorithm>
#include <array>
#include <cstdint>
#include <farfield/core/diagnostic.hpp>
#include <farfield/tensor/tensor.hpp>
#include <string>
#include <vector>

#include "support/folder.hpp"

using namespace farfield;

namespace {

void read(const std::string& path, const std::string& name) {
    const tensor::Tensor tensor = tensor::open_tensor(path, name);
    std::vector<double> numbers(std::min<std::size_t>(tensor.description().count(), 1000));
    tensor.read(0, numbers);
    tensor.read(tensor.description().count() - numbers.size(), numbers);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    static const std::array<std::string, 3> endings = {".npy", ".npz", ".safetensors"};
    static const tests::Folder folder;
    const std::string name = "tensor" + endings[data[0] % 3];
    folder.write(name, {reinterpret_cast<const char*>(data + 1), size - 1});
    const std::string path = folder.path(name);
    try {
        for (const tensor::Description& each : tensor::list_tensors(path)) read(path, each.name);
    } catch (const core::UserError& error) {
        core::format(error.diagnostics());
    }
    return 0;
}
