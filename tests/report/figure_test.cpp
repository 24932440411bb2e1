#include <catch2/catch.hpp>
#include <farfield/report/report.hpp>

#include "report/sample.hpp"

using namespace farfield;
using namespace farfield::tests;

TEST_CASE("a study is written whole") {
    const Folder folder;
    report::write_study(sample_study(), folder.path());
    for (const char* name : {"results.json", "row.csv", "fit.csv", "fig9.svg", "fig9.png", "report.html"}) {
        CHECK(std::filesystem::file_size(folder.file(name)) > 0);
    }
}
