// Arrays of numbers at addresses that vectors like, carved out of one piece.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace farfield::model {

/// Grows, never shrinks; growing loses what it held.
template <class Real>
class Memory {
public:
    static constexpr std::size_t alignment = 64;
    static constexpr std::size_t granule = alignment / sizeof(Real);

    static constexpr std::size_t rounded(std::size_t count) { return (count + granule - 1) / granule * granule; }

    /// Room for `count` numbers, zeros when it is new.
    Real* require(std::size_t count) {
        if (count > size_) {
            data_.reset();  // before, not beside, what replaces it
            size_ = 0;
            data_.reset(static_cast<Real*>(::operator new[](count * sizeof(Real), std::align_val_t{alignment})));
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

/// Hands out parts of a Memory: once without one to add the sizes up, once with it.
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

private:
    Real* from_;
    std::size_t used_ = 0;
};

}  // namespace farfield::model
