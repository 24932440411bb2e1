// How programs and operations read an array, and where an operation runs: on the thread's device or on the host.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <farfield/evaluate/array.hpp>
#include <farfield/evaluate/device.hpp>

#include "evaluate/resident.hpp"

namespace farfield::evaluate {

/// The array as an input of a program on a device.
DeviceLane lane_of(const Array& x);

/// The array as a device's operations read it: the device's own memory, a range, or a copy that `copies` keeps.
device::Row row_of(const Array& x, Workplace& place, std::vector<Memory>& copies);

/// The array as the host's operations read it.
device::Row row_on_host(const Array& x);

/// The thread's device if it accepts work over this many points, otherwise null.
inline Device* device_for(std::size_t points) {
    Device* const device = OnDevice::current();
    return device != nullptr && device->takes(static_cast<double>(points)) ? device : nullptr;
}

/// Calls work(place, rows) on the device that holds one of the arrays; returns false if this was not done.
template <class Work>
bool is_done_on_device(const std::vector<Array>& arrays, const Work& work) {
    Device* const device = OnDevice::current();
    if (device == nullptr ||
        std::none_of(arrays.begin(), arrays.end(), [](const Array& x) { return x.is_on_device(); }))
        return false;
    std::size_t points = 0;
    for (const Array& array : arrays) points = std::max(points, array.size());
    return device->operate(points, [&](Workplace& place) {
        std::vector<Memory> copies;
        std::vector<device::Row> rows;
        rows.reserve(arrays.size());
        for (const Array& array : arrays) rows.push_back(row_of(array, place, copies));
        work(place, rows);
    });
}

/// Calls work(operations, rows) with the host's operations.
template <class Work>
void do_on_host(const std::vector<Array>& arrays, const Work& work) {
    HostStore store;
    std::vector<device::Row> rows;
    rows.reserve(arrays.size());
    for (const Array& array : arrays) rows.push_back(row_on_host(array));
    work(*host_operations(store, nullptr), rows);
}

/// Calls fold(operations, row) on the device that holds the array, otherwise host(numbers).
template <class Fold, class Host>
auto folded(const Array& x, const Fold& fold, const Host& host) {
    std::optional<decltype(host(x.here()))> found;
    const bool is_done = is_done_on_device({x}, [&](Workplace& place, const std::vector<device::Row>& rows) {
        found = fold(place.operations(), rows[0]);
    });
    return is_done ? *found : host(x.here());
}

/// The array that fill(operations, rows, result) computes on the device that holds one of the arrays; otherwise
/// host(arrays).
template <class Fill, class Host>
Array made(const std::vector<Array>& arrays, const Fill& fill, const Host& host) {
    std::shared_ptr<const Resident> resident;
    const bool is_done = is_done_on_device(arrays, [&](Workplace& place, const std::vector<device::Row>& rows) {
        resident = place.row(arrays.front().size());
        fill(place.operations(), rows, const_cast<double*>(resident->data()));
    });
    if (!is_done) return Array(host(arrays));
    std::vector<Array> kept;
    kept.reserve(arrays.size());
    for (const Array& array : arrays) kept.push_back(array.kept());
    return {std::move(resident), [kept = std::move(kept), host] { return host(kept); }};
}

/// The same, but without a device fill() runs with the host's operations, for operations that have the same bits on
/// host and device.
template <class Fill>
Array made(const std::vector<Array>& arrays, const Fill& fill) {
    return made(arrays, fill, [fill](const std::vector<Array>& given) {
        std::vector<double> result(given.front().size());
        do_on_host(given, [&](Operations& operations, const std::vector<device::Row>& rows) {
            fill(operations, rows, result.data());
        });
        return result;
    });
}

}  // namespace farfield::evaluate
