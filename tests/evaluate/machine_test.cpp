// The processors' machine: the operations that a device does too, compared with plain loops.
#include <catch2/catch.hpp>

#include <omp.h>

#include "evaluate/host_fourier.hpp"
#include "evaluate/operations_check.hpp"

using namespace farfield;
using namespace farfield::tests;

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
    const int most = omp_get_max_threads();
    std::vector<double> numbers[2];
    for (const int threads : {1, 5}) {
        omp_set_num_threads(threads);
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
    omp_set_num_threads(most);
    CHECK(numbers[0] == numbers[1]);
}
