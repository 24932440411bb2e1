// Aligned arrays of numbers that are parts of one allocation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

#include "numerics/zeros.hpp"

namespace farfield::model {

/// Memory that grows but never shrinks; growing discards the content.
template <class Real>
class Memory {
public:
    static constexpr std::size_t alignment = 64;
    static constexpr std::size_t granule = alignment / sizeof(Real);

    static constexpr std::size_t rounded(std::size_t count) { return (count + granule - 1) / granule * granule; }

    /// Memory for `count` numbers; new memory is zero. Large memory consists of large pages if the system has them.
    Real* require(std::size_t count) {
        if (count > size_) {
            data_.reset();  // freed before the new allocation, to avoid having both
            size_ = 0;
            data_.reset(static_cast<Real*>(::operator new[](count * sizeof(Real), std::align_val_t{alignment})));
            numerics::ask_for_large_pages(data_.get(), count * sizeof(Real));
            size_ = count;
            for (std::size_t i = 0; i < count; ++i) data_.get()[i] = Real{0};
        }
        return data_.get();
    }
    Real* data() const { return data_.get(); }
    std::size_t size() const { return size_; }

private:
    struct Release {
        void operator()(Real* data) const { ::operator delete[](data, std::align_val_t{alignment}); }
    };
    std::unique_ptr<Real[], Release> data_;
    std::size_t size_ = 0;
};

/// Assigns parts of a Memory: first without one to add up the sizes, then with it.
template <class Real>
class Carver {
public:
    explicit Carver(Real* from) : from_(from) {}

    Real* take(std::size_t count) {
        Real* const part = from_ != nullptr ? from_ + used_ : nullptr;
        used_ += Memory<Real>::rounded(count);
        return part;
    }
    std::size_t used() const { return used_; }
    /// Continues behind the parts of a copy of this, which share their memory with the parts taken since the copy.
    void continue_behind(const Carver& other) { used_ = std::max(used_, other.used_); }

private:
    Real* from_;
    std::size_t used_ = 0;
};

}  // namespace farfield::model
