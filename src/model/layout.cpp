#include <farfield/core/error.hpp>
#include <farfield/model/layout.hpp>

namespace farfield::model {

std::size_t Slice::size() const {
    std::size_t product = 1;
    for (const std::size_t extent : shape) product *= extent;
    return product;
}

void Layout::add(std::string name, std::vector<std::size_t> shape, bool decays) {
    constexpr std::size_t alignment = 16;
    slices_.push_back({std::move(name), std::move(shape), size_, decays});
    size_ += (slices_.back().size() + alignment - 1) / alignment * alignment;
}

const Slice* Layout::find(std::string_view name) const {
    for (const Slice& slice : slices_) {
        if (slice.name == name) return &slice;
    }
    return nullptr;
}

const Slice& Layout::at(std::string_view name) const {
    const Slice* const slice = find(name);
    if (slice == nullptr) throw core::PreconditionError("model::Layout::at", "name", name, "the name of a slice");
    return *slice;
}

std::size_t Layout::parameters() const {
    std::size_t total = 0;
    for (const Slice& slice : slices_) total += slice.size();
    return total;
}

}  // namespace farfield::model
