#include <catch2/catch.hpp>
#include <cstring>
#include <farfield/report/report.hpp>

#include "report/sample.hpp"
#include "report/series_file.hpp"
#include "report/thin.hpp"

using namespace farfield;
using namespace farfield::tests;

TEST_CASE("a series is CSV with a header and 17 significant digits") {
    core::Series series;
    series.columns = {{"n", {0, 1}, {}}, {"ppl[64,seed=0]", {0.1, -INFINITY}, {}}};
    CHECK(report::series_csv(series) == "n,\"ppl[64,seed=0]\"\n0,0.10000000000000001\n1,-inf\n");
}

TEST_CASE("files are named after the quantity, and different names stay different") {
    core::Result quantity = curve("row[w=40]", 2, [](double n) { return n; });
    CHECK(report::series_file(quantity) == "row[w=40].csv");
    CHECK(report::thinned_file(quantity).empty());
    quantity.name = "../a b";
    CHECK(report::series_file(quantity) == "%2E.%2Fa%20b.csv");
    const core::Result longer = curve("long", 100'001, [](double n) { return n; });
    CHECK(report::series_file(longer) == "long.npy");
    CHECK(report::thinned_file(longer) == "long.csv");
}

// The layout of NumPy's format 1.0: magic, version, length of the header, header, then the records.
TEST_CASE("npy is a header padded to 64 bytes and one record a row") {
    core::Series series;
    series.columns = {{"n", {1, 2, 3}, {}}, {"it's", {0.5, -2, 4}, {}}};
    const std::string bytes = npy_of(series);
    REQUIRE(bytes.size() > 10);
    CHECK(bytes.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
    const std::size_t header = static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
    CHECK((10 + header) % 64 == 0);
    REQUIRE(bytes.size() == 10 + header + 3 * 2 * sizeof(double));
    CHECK(bytes.substr(10, header)
              .find("{'descr': [('n', '<f8'), ('it\\'s', '<f8'), ], 'fortran_order': False, 'shape': (3,), }") == 0);
    CHECK(bytes[10 + header - 1] == '\n');
    double records[6];
    std::memcpy(records, bytes.data() + 10 + header, sizeof records);
    const double wanted[6] = {1, 0.5, 2, -2, 3, 4};
    CHECK(std::memcmp(records, wanted, sizeof records) == 0);
}

TEST_CASE("npy holds every row of a series that is written in many pieces") {
    // 4095, 4096, 4097: on both sides of what one piece holds.
    for (const std::size_t rows : {std::size_t{0}, std::size_t{1}, std::size_t{4095}, std::size_t{4096},
                                   std::size_t{4097}, std::size_t{10'001}}) {
        const core::Result ramp = curve("ramp", rows, [](double n) { return -n / 4; });
        const std::string bytes = npy_of(*ramp.series);
        const std::size_t data = bytes.size() - rows * 2 * sizeof(double);
        REQUIRE(data % 64 == 0);
        std::vector<double> records(2 * rows);
        if (rows) std::memcpy(records.data(), bytes.data() + data, records.size() * sizeof(double));
        for (std::size_t row = 0; row < rows; ++row) {
            REQUIRE(records[2 * row] == static_cast<double>(row));
            REQUIRE(records[2 * row + 1] == -static_cast<double>(row) / 4);
        }
    }
}

TEST_CASE("thinning keeps every peak, gap and end") {
    core::Result spiky = curve("spiky", 200'000, [](double n) {
        return n == 77'777 ? 1e9 : n == 123'456 ? -1e9 : n == 150'001 ? NAN : std::sin(n / 1000);
    });
    const std::vector<std::size_t> rows = report::thin_rows(*spiky.series, {4000, false, {}});
    CHECK(rows.size() <= 4001);
    CHECK(std::is_sorted(rows.begin(), rows.end()));
    for (const std::size_t row :
         {std::size_t{0}, std::size_t{77'777}, std::size_t{123'456}, std::size_t{150'001}, std::size_t{199'999}}) {
        CHECK(std::binary_search(rows.begin(), rows.end(), row));
    }
}

TEST_CASE("on a logarithmic axis the first decades are kept whole") {
    const core::Result line = curve("line", 1'000'000, [](double n) { return n; });
    const std::vector<std::size_t> rows = report::thin_rows(*line.series, {4000, true, {}});
    CHECK(rows.size() <= 4000);
    for (std::size_t row = 0; row < 100; ++row) CHECK(rows[row] == row);
}

TEST_CASE("a short series stays whole") {
    const core::Result line = curve("line", 4000, [](double n) { return n; });
    CHECK(report::thin_rows(*line.series, {4000, false, {}}).size() == 4000);
}

TEST_CASE("a long series is written as npy, and as a thinned CSV") {
    const Folder folder;
    core::StudyRecord study;
    study.study = "long";
    study.quantities = {curve("long", 100'001, [](double n) { return n == 50'000 ? 7 : 0; })};
    report::write_study(study, folder.path(), {.figures = false});
    CHECK(std::filesystem::file_size(folder.path("long.npy")) > 100'001 * 16);
    const std::string csv = content(folder.path("long.csv"));
    CHECK(csv.starts_with("n,value\n0,0\n"));
    CHECK(csv.find("\n50000,7\n") != std::string::npos);
    CHECK(csv.ends_with("\n100000,0\n"));
}
