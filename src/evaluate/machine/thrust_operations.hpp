// The operations of a host or device with Thrust. A source that includes this header defines
// THRUST_CUB_WRAPPED_NAMESPACE, so that two copies of Thrust in a program do not conflict, and FARFIELD_MACHINE, the
// namespace of its own copy of this header.
#pragma once

#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "evaluate/machine/fold.cuh"
#include "evaluate/machine/maps.cuh"
#include "evaluate/machine/operations.hpp"

namespace farfield::evaluate::FARFIELD_MACHINE {

namespace thrust = THRUST_CUB_WRAPPED_NAMESPACE::thrust;

/// A System is where Thrust runs: `for_each(count, function)` calls the function with each index below `count`, and
/// converts Thrust's exceptions to MachineError.
template <class System>
class ThrustOperations : public Operations {
public:
    ThrustOperations(Store& store, std::unique_ptr<Fourier> fourier) : store_(store), fourier_(std::move(fourier)) {}

    device::Extremes extremes(const device::Row& x) override { return fold(device::ExtremesTerm{x}, x.count); }
    double sum(const device::Row& x) override { return fold(device::SumTerm{x}, x.count).total(); }
    double dot(const device::Row& x, const device::Row& y) override {
        return fold(device::DotTerm{x, y}, x.count).total();
    }
    device::RowSums weights(const device::Row& x, double scale, double next) override {
        return fold(device::WeightTerm{x, scale, next}, x.count);
    }
    device::Steps steps(const device::Row& x) override {
        return fold(device::StepsTerm{x}, x.count > 0 ? x.count - 1 : 0);
    }
    std::size_t first_above(const device::Row& x, double limit) override {
        return fold(device::FirstAboveTerm{x, limit}, x.count).index;
    }
    std::vector<device::Sum> products(const FitRows& rows) override {
        const std::size_t factors = rows.columns.size() + 2;
        std::vector<device::Sum> all(factors * (factors + 1) / 2);
        // A few factors fit into registers. More are summed in groups, two groups at once.
        constexpr unsigned group = device::most_factors / 2;
        if (factors <= group) sum_products<group>(rows, {0, factors}, {factors, factors}, all);
        for (std::size_t one = 0; one + group < factors; one += group) {
            for (std::size_t two = one + group; two < factors; two += group)
                sum_products<device::most_factors>(rows, {one, one + group}, {two, std::min(two + group, factors)},
                                                   all);
        }
        return all;
    }
    device::Residuals residuals(const FitRows& rows, std::span<const double> parameters, double centre) override {
        const std::size_t count = rows.fit.data.count;
        if (rows.columns.size() <= device::FewColumns::most) {
            device::FewColumns few;
            few.count = rows.columns.size();
            std::copy(rows.columns.begin(), rows.columns.end(), few.rows);
            std::copy(parameters.begin(), parameters.end(), few.parameters);
            return fold(device::ResidualsTerm<device::FewColumns>{few, rows.fit, centre}, count);
        }
        const Memory columns = copied(store_, rows.columns);
        const Memory numbers = copied(store_, parameters);
        const device::ManyColumns many{columns.as<const device::Row>(), numbers.as<const double>(),
                                       rows.columns.size()};
        return fold(device::ResidualsTerm<device::ManyColumns>{many, rows.fit, centre}, count);
    }

    void share_out(const device::Row& x, double shift, double share, double* result) override {
        for_each(x.count, device::ShareOut{x, shift, share, result});
    }
    void running_sums(const device::Row& x, double* result) override {
        const std::size_t count = stretches_of(x.count);
        const Memory before(store_, bytes_of(count));
        sums_before(x, count, before.as<double>());
        for_each(count, device::RunOn{x, before.as<double>(), false, result});
    }
    void mix(const device::Row& x, double factor, double first, double* result) override {
        for_each(x.count, device::Mix{x, factor, first, result});
    }
    void subtract(const device::Row& a, const device::Row& b, double* result) override {
        for_each(a.count, device::Subtract{a, b, result});
    }
    void mean(const std::vector<device::Row>& rows, double* result) override {
        const Memory there = copied(store_, rows);
        for_each(rows.front().count, device::Mean{there.as<const device::Row>(), rows.size(), result});
    }
    void spread_distances(const double* by_distance, std::size_t heads, std::size_t length, double* result) override {
        const std::size_t cells = heads * length * length;
        for_each(device::SpreadDistances::threads(cells), device::SpreadDistances{by_distance, length, cells, result});
    }
    void unite_shifted(const std::uint64_t* set, std::size_t words, const long long* shifts, std::size_t count,
                       std::uint64_t* result) override {
        for_each(words, device::UniteShifted{set, words, shifts, count, result});
    }
    void convolve(const device::Row& a, const device::Row& b, double* result) override {
        if (!fourier_)
            throw MachineError(MachineError::Kind::other, "a convolution", "no library of Fourier transforms is there");
        const std::size_t length = smooth_length(2 * a.count);
        const std::size_t entries = length / 2 + 1;
        const Memory row(store_, bytes_of(length));
        const Memory left(store_, entries * sizeof(device::Complex));
        const Memory right(store_, entries * sizeof(device::Complex));
        for_each(length, device::Pad{a, row.as<double>()});
        fourier_->forward(row.as<double>(), length, left.as<double>());
        for_each(length, device::Pad{b, row.as<double>()});
        fourier_->forward(row.as<double>(), length, right.as<double>());
        for_each(entries, device::MultiplySpectra{left.as<device::Complex>(), right.as<device::Complex>(),
                                                  1 / static_cast<double>(length)});
        fourier_->back(left.as<double>(), length, row.as<double>());
        for_each(a.count, device::NotBelowZero{row.as<double>(), result});
    }

private:
    /// Fewer numbers than these are added up one after the other.
    static constexpr std::size_t few_numbers = 4096;

    static std::size_t bytes_of(std::size_t numbers) { return std::max<std::size_t>(numbers, 1) * sizeof(double); }
    static std::size_t stretches_of(std::size_t numbers) {
        return (numbers + device::numbers_a_stretch - 1) / device::numbers_a_stretch;
    }

    /// The smallest even number, not below `least`, whose prime factors are 2, 3, 5 and 7.
    static std::size_t smooth_length(std::size_t least) {
        for (std::size_t length = std::max<std::size_t>(least + least % 2, 2);; length += 2) {
            std::size_t rest = length;
            for (const std::size_t factor : {2, 3, 5, 7}) {
                while (rest % factor == 0) rest /= factor;
            }
            if (rest == 1) return length;
        }
    }

    template <class Function>
    void for_each(std::size_t count, const Function& function) {
        if (count == 0) return;
        System::for_each(count, function);
    }

    template <class Term>
    typename Term::State fold(const Term& term, std::size_t count) {
        using State = typename Term::State;
        State whole{};
        if (count == 0) return whole;
        std::size_t states = device::states_of((count + Term::group - 1) / Term::group);
        const std::size_t fewer = device::states_of(states);
        reserve((states + fewer) * sizeof(State));
        State* from = scratch_->as<State>();
        State* to = from + states;
        for_each(states, device::FoldNumbers<Term>{term, count, from});
        while (states > device::lanes_a_tile) {
            const std::size_t left = device::states_of(states);
            for_each(left, device::FoldStates<Term>{term, from, states, to});
            std::swap(from, to);
            states = left;
        }
        std::vector<State> last(states);
        store_.copy_out(last.data(), reinterpret_cast<Store::Pointer>(from), states * sizeof(State));
        for (const State& state : last) term.join(whole, state);
        return whole;
    }

    /// Some factors of a fit: indices begin .. end - 1.
    struct Group {
        std::size_t begin;
        std::size_t end;
    };

    /// Writes the sums of all products of the factors of two groups to their places.
    template <unsigned most>
    void sum_products(const FitRows& rows, const Group& one, const Group& two, std::vector<device::Sum>& all) {
        const std::size_t columns = rows.columns.size();
        const std::size_t factors = columns + 2;
        std::vector<std::size_t> chosen;
        for (const Group& group : {one, two})
            for (std::size_t index = group.begin; index < group.end; ++index) chosen.push_back(index);
        device::Factors given;
        given.offset = rows.fit.offset;
        given.weights = rows.fit.weights;
        for (const std::size_t index : chosen) {
            if (index == columns + 1) given.data = given.count;
            device::Row& row = given.rows[given.count++];
            row = index < columns ? rows.columns[index] : rows.fit.data;
            // A range of ones.
            if (index == columns) row = {nullptr, row.count, 1, 0};
        }
        const auto found = fold(device::ProductsTerm<most>{given}, rows.fit.data.count);
        for (std::size_t i = 0; i < chosen.size(); ++i)
            for (std::size_t j = i; j < chosen.size(); ++j)
                all[pair_index(chosen[i], chosen[j], factors)] = found.sums[pair_index(i, j, most)];
    }

    /// The sum before each part of a row.
    void sums_before(const device::Row& x, std::size_t count, double* result) {
        const Memory sums(store_, bytes_of(count));
        for_each(count, device::SumStretches{x, sums.as<double>()});
        if (count > few_numbers) {
            const device::Row row{sums.as<double>(), count};
            const Memory before(store_, bytes_of(stretches_of(count)));
            sums_before(row, stretches_of(count), before.as<double>());
            return for_each(stretches_of(count), device::RunOn{row, before.as<double>(), true, result});
        }
        std::vector<double> numbers(count);
        store_.copy_out(numbers.data(), sums.pointer(), count * sizeof(double));
        device::Sum running;
        for (double& number : numbers) {
            const double sum = number;
            number = running.total();
            running.add(sum);
        }
        store_.copy_in(reinterpret_cast<Store::Pointer>(result), numbers.data(), count * sizeof(double));
    }

    void reserve(std::size_t bytes) {
        if (scratch_ && scratch_->bytes() >= bytes) return;
        scratch_.reset();
        scratch_.emplace(store_, bytes);
    }

    Store& store_;
    std::unique_ptr<Fourier> fourier_;
    std::optional<Memory> scratch_;  ///< of folds, kept from one to the next
};

}  // namespace farfield::evaluate::FARFIELD_MACHINE
