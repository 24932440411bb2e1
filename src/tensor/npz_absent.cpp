// A build without minizip, such as the one for browsers.
#include "tensor/formats.hpp"
#include "tensor/refuse.hpp"

namespace farfield::tensor {

namespace {

[[noreturn]] void refuse_archive(const std::string& path) {
    refuse(path, "this build of farfield does not read .npz", "a .npy or a .safetensors");
}

}  // namespace

std::vector<Description> list_npz(const std::string& path) {
    refuse_archive(path);
}

std::shared_ptr<const Bytes> open_npz_member(const std::string& path, const std::string&, std::uint64_t) {
    refuse_archive(path);
}

}  // namespace farfield::tensor
