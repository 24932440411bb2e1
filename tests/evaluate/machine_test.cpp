// The processors' machine: the operations that a device does too, compared with plain loops.
#include <catch2/catch.hpp>
#include <farfield/numerics/processors.hpp>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <farfield/evaluate/array.hpp>

#include "evaluate/host_fourier.hpp"
#include "evaluate/operations_check.hpp"

using namespace farfield;
using namespace farfield::tests;

namespace {

std::uint64_t word_of(const std::vector<bool>& set, std::size_t word) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 64; ++i) bits |= std::uint64_t{set[64 * word + i]} << i;
    return bits;
}

/// Counts the allocations that are not released.
class CountingStore : public evaluate::Store {
public:
    Pointer allocate(std::size_t) override { return *open.insert(++last).first; }
    void release(Pointer memory) noexcept override { wrong += open.erase(memory) == 0 ? 1 : 0; }
    void copy_in(Pointer, const void*, std::size_t) override {}
    void copy_out(void*, Pointer, std::size_t) override {}

    Pointer last = 0;
    std::set<Pointer> open;
    std::size_t wrong = 0;  ///< releases of memory that is not allocated
};

}  // namespace

TEST_CASE("memory of a store is released once") {
    CountingStore store;
    {
        evaluate::Memory first(store, 8);
        evaluate::Memory moved(std::move(first));
        CHECK(store.open.size() == 1);
        CHECK(moved.pointer() == 1);
        evaluate::Memory other(store, 16);
        other = std::move(moved);
        CHECK(other.pointer() == 1);
        CHECK(other.bytes() == 8);
    }
    CHECK(store.last == 2);
    CHECK(store.open.empty());
    CHECK(store.wrong == 0);
}

TEST_CASE("operations on rows agree with plain loops") {
    evaluate::HostStore store;
    const auto operations = evaluate::host_operations(store, std::make_unique<HostFourier>());
    std::size_t checks = 0;
    OperationsCheck check(*operations, store, [&](bool holds, const std::string& what, const std::string& found) {
        ++checks;
        INFO(what << ": " << found);
        CHECK(holds);
    });
    check.run();
    CHECK(checks > 400);
}

TEST_CASE("folds and running sums have the same bits whatever the number of threads") {
    constexpr std::size_t count = 1234567;
    std::vector<double> row(count);
    for (std::size_t i = 0; i < count; ++i) row[i] = std::exp(-static_cast<double>(i % 1000) / 7);
    evaluate::HostStore store;
    const RowThere there(store, row);
    const std::size_t most = numerics::processors();
    std::vector<double> numbers[2];
    for (const std::size_t threads : {1, 5}) {
        numerics::set_processors(threads);
        const auto operations = evaluate::host_operations(store, nullptr);
        auto& found = numbers[threads == 1 ? 0 : 1];
        const evaluate::Memory out(store, count * sizeof(double));
        operations->running_sums(there.row(), out.as<double>());
        found.assign(out.as<double>(), out.as<double>() + count);
        const evaluate::RowSums weights = operations->weights(there.row(), -3, 0.5);
        for (const double each :
             {operations->sum(there.row()), operations->dot(there.row(), there.row()),
              operations->steps(there.row()).variation.total(), weights.total, weights.squares, weights.falls})
            found.push_back(each);
    }
    numerics::set_processors(most);
    CHECK(numbers[0] == numbers[1]);
}

TEST_CASE("a set of integers moved by several shifts is the union of the shifted sets, element by element") {
    for (const std::size_t words : {1, 2, 5000}) {
        const auto length = static_cast<long long>(64 * words);
        std::vector<bool> set(static_cast<std::size_t>(length)), wanted(set.size());
        for (long long at = 0; at < length; at += at % 7 + 3) set[static_cast<std::size_t>(at)] = true;
        const std::vector<long long> shifts = {0, 1, 63, 64, 100, -64, -1};
        for (long long at = 0; at < length; ++at)
            for (const long long shift : shifts)
                if (set[static_cast<std::size_t>(at)] && at + shift >= 0 && at + shift < length)
                    wanted[static_cast<std::size_t>(at + shift)] = true;
        std::vector<std::uint64_t> packed, united;
        for (std::size_t word = 0; word < words; ++word) packed.push_back(word_of(set, word));
        for (std::size_t word = 0; word < words; ++word) united.push_back(word_of(wanted, word));
        CHECK((evaluate::united_shifts(packed, shifts) == united));
    }
}

TEST_CASE("steps of a row are counted up and down, with the first and the largest rise and the whole way") {
    const std::vector<double> row = {3, 1, 1, 1.5, 4, -2, -2, 0};
    const evaluate::Steps found = evaluate::steps(evaluate::Array(std::span<const double>(row)));
    CHECK(found.rises == 3);
    CHECK(found.falls == 2);
    CHECK(found.first_rise == 2);
    CHECK(found.largest_rise == 2.5);
    CHECK(found.variation == 13);
}
