// The page over many studies, and its links to the page for browsers.
#include <catch2/catch.hpp>

#include <filesystem>
#include <string>

#include "cli/run_program.hpp"

using run_program::Done;
using run_program::Folder;
using run_program::replaced;
using run_program::study;

TEST_CASE("report makes one page over the results of many studies") {
    const Folder folder;
    folder.write("papers/chi/line.toml", study);
    folder.write("papers/sun/line.toml", replaced(study, "T-1", "T-2"));
    CHECK(folder.farfield({"run", "papers", "--no-figures"}).status == 0);
    const Done done = folder.farfield({"report", "results"});
    CHECK(done.status == 0);
    CHECK(done.output == "results/index.html\n");
    const std::string page = folder.read("results/index.html");
    CHECK(page.find("T-1") != std::string::npos);
    CHECK(page.find("T-2") != std::string::npos);
}

TEST_CASE("report --playground links each study that the page for browsers can run, from every folder") {
    const Folder folder;
    folder.write("papers/line.toml", study);
    folder.write("papers/gone.toml", replaced(study, "T-1", "T-2"));
    CHECK(folder.farfield({"run", "papers", "--no-figures"}).status == 0);
    std::filesystem::remove(folder.path("papers/gone.toml"));
    const auto reported = [&](const std::string& address) {
        CHECK(folder.farfield({"report", "results", "--playground", address}).status == 0);
        return folder.read("results/papers/line/report.html");
    };
    const std::string inside = reported("../try/index.html");
    CHECK(inside.find("href=\"../../../try/index.html#tab=study&amp;study=") != std::string::npos);
    CHECK(inside.find("&amp;claim=T-1\"") != std::string::npos);
    CHECK(folder.read("results/index.html").find("href=\"../try/index.html#tab=study") != std::string::npos);
    CHECK(folder.read("results/papers/gone/report.html").find("playground") == std::string::npos);
    CHECK(reported("https://example.org/try/").find("href=\"https://example.org/try/#tab=study") != std::string::npos);
}

TEST_CASE("report --playground puts small files next to a study into its links") {
    const Folder folder;
    const std::string columns = "[quantity.cells]\nkind = \"table\"\nfile = \"tables/one.csv\"\nexact = true\n";
    const std::string claim =
        "[[claim]]\nid = \"T-1\"\nholds = \"cells[0, 0] == 2\"\nsays = \"two\"\nexpect = \"confirmed\"\n";
    folder.write("papers/table.toml", columns + claim);
    folder.write("papers/tables/one.csv", "row,b\na,2\n");
    CHECK(folder.farfield({"run", "papers", "--no-figures"}).status == 0);
    const auto reported = [&] {
        CHECK(folder.farfield({"report", "results", "--playground", "page"}).status == 0);
        return folder.read("results/papers/table/report.html");
    };
    CHECK(reported().find("&amp;file=tables/one.csv&amp;content=") != std::string::npos);
    folder.write("papers/tables/one.csv", "row,b\na,2\n#" + std::string(8192, '-') + "\n");
    std::filesystem::remove(folder.path("results/papers/table/report.html"));
    CHECK(reported().find("playground") == std::string::npos);
}
