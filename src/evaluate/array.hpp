// A row of numbers, wherever it lies: what quantities hand on to each other.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <farfield/core/values.hpp>
#include <farfield/evaluate/evaluate.hpp>

#include "evaluate/resident.hpp"

namespace farfield::evaluate {

/// Shared numbers that do not change: in the processor's memory, in a device's, or a range that is not stored. They
/// come to the processor's memory when they are first read, and stay there.
class Array {
public:
    Array() : Array(std::vector<double>{}) {}
    Array(std::vector<double> values);
    Array(const Range& range);
    /// Of a column; what lies elsewhere stays there. The column's own numbers must outlive the array.
    explicit Array(const core::Values& values);
    /// Memory of the caller's, who keeps it.
    explicit Array(std::span<const double> values);
    /// What a device computed, and how the processor computes it should the device be lost: from arrays that are
    /// kept().
    Array(std::shared_ptr<const Resident> there, std::function<std::vector<double>()> again);

    std::size_t size() const { return count_; }
    bool empty() const { return count_ == 0; }
    Array part(std::size_t first, std::size_t count) const;

    std::span<const double> here() const;
    /// One number, without the others.
    double operator[](std::size_t index) const;
    double front() const { return (*this)[0]; }
    double back() const { return (*this)[count_ - 1]; }

    /// Whether the numbers are 0, 1, 2, ...; the index of the first that is not, or size().
    std::size_t first_not_own_index() const;

    /// Whether a device holds it.
    bool is_there() const;
    /// The range that it is a stretch of, where its numbers are a range's own to the bit; else nothing.
    std::optional<Range> range() const;
    /// As an input of a program on a device.
    DeviceLane lane() const;
    /// As a device reads it: its own memory, a range, or a copy that `copies` holds.
    device::Row row(Workplace& place, std::vector<Memory>& copies) const;

    /// The same as the processors' machine reads it.
    device::Row row_here() const;

    /// As a column, sharing the numbers.
    core::Values values() const;
    /// The same numbers, which now outlive those of a caller that they were.
    Array kept() const;

private:
    class Body;
    Array(std::shared_ptr<const Body> body, std::size_t first, std::size_t count);

    std::shared_ptr<const Body> body_;
    std::size_t first_ = 0;
    std::size_t count_ = 0;
};

/// evaluate(), with the result left where it was computed: on the thread's device (OnDevice) where that takes the work
/// and no input but ranges and rows of the device's is asked for.
Array evaluate_array(const formula::Program& program, const std::vector<double>& uniform,
                     const std::vector<Array>& varying, std::size_t points, const NumberSystem& system = {});

}  // namespace farfield::evaluate
