#include <farfield/evaluate/array.hpp>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include <farfield/evaluate/device.hpp>

#include "evaluate/array_work.hpp"
#include "evaluate/linear_phase.hpp"
#include "numerics/zeros.hpp"

namespace farfield::evaluate {

/// The complete data of which an array is a contiguous part.
class Array::Body : public core::Values::Elsewhere {
public:
    explicit Body(std::vector<double> values) : own_(std::move(values)), values_(own_) {}
    explicit Body(std::span<const double> values) : values_(values) {}
    explicit Body(const Range& range) : range_(range) {}
    Body(std::shared_ptr<const Resident> resident, std::function<std::vector<double>()> again)
        : there_(std::move(resident)), again_(std::move(again)) {}

    std::size_t size() const override {
        if (range_) return range_->count;
        return there_ ? there_->size() : values_.size();
    }
    const std::vector<double>& here() const override {
        bring();
        return own_;
    }
    std::span<const double> values() const {
        bring();
        return values_;
    }
    double at(std::size_t index) const {
        if (range_) return range_->at(index);
        double value = 0;
        if (there_ && there_->data() != nullptr && there_->fetch(index, {&value, 1})) return value;
        return values()[index];
    }
    const std::optional<Range>& range() const { return range_; }
    const std::shared_ptr<const Resident>& there() const { return there_; }
    bool is_own() const { return there_ || range_ || !own_.empty(); }

private:
    void bring() const {
        if (!there_ && !range_) return;
        std::call_once(brought_, [this] {
            std::vector<double> values = numerics::zeros(size());
            if (range_)
                for (std::size_t i = 0; i < values.size(); ++i) values[i] = range_->at(i);
            else if (!there_->fetch(0, values))
                values = again_();
            own_ = std::move(values);
            values_ = own_;
        });
    }

    mutable std::vector<double> own_;
    mutable std::span<const double> values_;
    mutable std::once_flag brought_;
    std::optional<Range> range_;
    std::shared_ptr<const Resident> there_;
    std::function<std::vector<double>()> again_;
};

Array::Array(std::shared_ptr<const Body> body, std::size_t first, std::size_t count)
    : body_(std::move(body)), first_(first), count_(count) {}
Array::Array(std::vector<double> values) : Array(std::make_shared<const Body>(std::move(values)), 0, 0) {
    count_ = body_->size();
}
Array::Array(const Range& range) : Array(std::make_shared<const Body>(range), 0, range.count) {}
Array::Array(std::span<const double> values) : Array(std::make_shared<const Body>(values), 0, values.size()) {}
Array::Array(std::shared_ptr<const Resident> resident, std::function<std::vector<double>()> again)
    : Array(std::make_shared<const Body>(std::move(resident), std::move(again)), 0, 0) {
    count_ = body_->size();
}
Array::Array(const core::Values& values) : count_(values.size()) {
    body_ = std::dynamic_pointer_cast<const Body>(values.elsewhere());
    if (!body_) body_ = std::make_shared<const Body>(std::span<const double>(values.here()));
}

Array Array::part(std::size_t first, std::size_t count) const {
    return {body_, first_ + first, count};
}

std::span<const double> Array::here() const {
    return body_->values().subspan(first_, count_);
}

double Array::operator[](std::size_t index) const {
    return body_->at(first_ + index);
}

std::size_t Array::first_not_own_index() const {
    const std::optional<Range> own = range();
    if (own && own->from == 0 && own->step == 1) return count_;
    const std::span<const double> values = here();
    std::size_t index = 0;
    while (index < count_ && values[index] == static_cast<double>(index)) ++index;
    return index;
}

const std::shared_ptr<const Resident>& Array::resident() const {
    return body_->there();
}

std::optional<Range> Array::range() const {
    if (!body_->range()) return std::nullopt;
    const Range& whole = *body_->range();
    if (first_ == 0) return Range{whole.from, whole.step, count_};
    // A part of a range of integers is exact: it begins at its own first value.
    const double last = whole.at(whole.count);
    const bool is_exact = std::trunc(whole.from) == whole.from && std::trunc(whole.step) == whole.step &&
                          std::fabs(whole.from) < 0x1p53 && std::fabs(last) < 0x1p53;
    if (!is_exact) return std::nullopt;
    return Range{whole.at(first_), whole.step, count_};
}

DeviceLane lane_of(const Array& x) {
    if (x.is_on_device()) return ResidentLane{x.resident(), x.first()};
    if (const std::optional<Range> range = x.range()) return *range;
    return x.here();
}

device::Row row_of(const Array& x, Workplace& place, std::vector<Memory>& copies) {
    if (x.is_on_device() && x.resident()->data() != nullptr) return {x.resident()->data() + x.first(), x.size()};
    if (const std::optional<Range> range = x.range()) return {nullptr, x.size(), range->from, range->step};
    copies.push_back(copied(place.store(), x.here()));
    return {copies.back().as<const double>(), x.size()};
}

device::Row row_on_host(const Array& x) {
    if (const std::optional<Range> range = x.range()) return {nullptr, x.size(), range->from, range->step};
    return {x.here().data(), x.size()};
}

Array Array::kept() const {
    if (body_->is_own()) return *this;
    const std::span<const double> numbers = here();
    return Array(std::vector<double>(numbers.begin(), numbers.end()));
}

core::Values Array::values() const {
    if (body_->is_own() && first_ == 0 && count_ == body_->size()) return core::Values(body_);
    const std::span<const double> numbers = here();
    return core::Values(std::vector<double>(numbers.begin(), numbers.end()));
}

DeviceTask task_of(const formula::Program& program, const Inputs& inputs, std::vector<DeviceLane> lanes,
                   const NumberSystem& system) {
    DeviceTask task{program, system, inputs.uniform, std::move(lanes), inputs.tables, inputs.points};
    if (system.kind != NumberSystem::Kind::binary64) return task;
    if (std::optional<WithoutWaves> found = without_waves(program, inputs)) {
        task.program = std::move(found->rest);
        for (WaveLane& sum : found->sums) task.varying.emplace_back(std::move(sum));
    }
    return task;
}

Array evaluate_array(const formula::Program& program, const std::vector<double>& uniform,
                     const std::vector<Array>& varying, std::size_t points, const NumberSystem& system) {
    const auto lanes_here = [](const std::vector<Array>& arrays) {
        std::vector<Lane> lanes;
        for (const Array& array : arrays) {
            if (const std::optional<Range> range = array.range())
                lanes.emplace_back(*range);
            else
                lanes.emplace_back(array.here());
        }
        return lanes;
    };
    const auto compute = [=](const std::vector<Array>& arrays) {
        return evaluate(program, {uniform, lanes_here(arrays), {}, points}, system);
    };
    Device* const device = OnDevice::current();
    const bool is_ready = std::all_of(varying.begin(), varying.end(),
                                      [](const Array& array) { return array.is_on_device() || array.range(); });
    const bool is_taken = device != nullptr && is_ready && !formula::has_integral(program);
    if (!is_taken || !device->takes(static_cast<double>(points))) return Array(compute(varying));
    const bool is_boolean = program.type == formula::Type::boolean;
    if ((is_boolean ? program.boolean_varies : program.real_varies)[program.result] == 0) {
        std::vector<Lane> first;
        first.reserve(varying.size());
        for (const Array& array : varying) first.emplace_back(Range{array.front(), 0, 1});
        return Array(Range{evaluate(program, {uniform, first, {}, 1}, system)[0], 0, points});
    }
    Inputs inputs{uniform, {}, {}, points};
    std::vector<DeviceLane> lanes;
    for (const Array& array : varying) {
        lanes.push_back(lane_of(array));
        const std::optional<Range> range = array.range();
        inputs.varying.emplace_back(range ? Lane(*range) : Lane(std::span<const double>{}));
    }
    const DeviceTask task = task_of(program, inputs, std::move(lanes), system);
    // Ranges and rows on the device are kept as they are.
    if (std::shared_ptr<const Resident> row = device->evaluate_there(task))
        return {std::move(row), [compute, varying] { return compute(varying); }};
    return Array(compute(varying));
}

}  // namespace farfield::evaluate
