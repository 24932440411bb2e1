// Claims written as in a study, and results to judge them by.
#pragma once

#include <farfield/claim/claim.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/scheme/toml.hpp>
#include <string>
#include <vector>

namespace claim_support {

using namespace farfield;

/// The first [[claim]] of a TOML text; problems are thrown.
inline claim::Claim read(const std::string& text) {
    const core::Entries file = scheme::read_toml(text, "study.toml");
    core::Problems problems;
    claim::Claim claim = claim::read_claim(file.find("claim")->value.list()->front(), problems);
    problems.raise();
    return claim;
}

/// A claim of one reading with this condition.
inline claim::Claim with_condition(const std::string& holds, const std::string& more = {}) {
    return read("[[claim]]\nid = 'X'\nsays = 's'\n[[claim.reading]]\nname = 'r'\nholds = \"" + holds + "\"\n" + more);
}

/// fit.a = -0.8250 in a narrow enclosure, fit.b without one, fit.gone that does not exist, fit.least at least 48.5,
/// fit.points exact, fields nll[64] and nll[128]; a series row of n = 0..9 with values n*n, exact; and a published
/// table.
struct Results {
    core::Result fit, row, plain, table;
    std::vector<const core::Result*> all;

    Results() {
        fit.name = "fit";
        fit.kind = "fit";
        fit.set("a", core::Cell::enclosed(-0.825, {-0.82500001, -0.82499999}));
        fit.set("b", core::Cell::of(-0.8));
        fit.set("gone", core::Cell::missing());
        fit.set("least", core::Cell::at_least(48.5, "1 of 2 seeds"));
        fit.set("points", core::Cell::exact(8192));
        fit.set("nll[64]", core::Cell::enclosed(2.5, {2.4, 2.6}));
        fit.set("nll[128]", core::Cell::enclosed(3.5, {3.4, 3.6}));
        row = squares("row", true);
        plain = squares("plain-row", false);
        table.name = "t1";
        table.kind = "table";
        table.table = core::Table{
            {"a", "b"}, {"512", "1024"}, {printed("5.50"), printed("5.31"), printed("55.4"), core::Cell::missing()}};
        all = {&fit, &row, &plain, &table};
    }

    static core::Cell printed(const std::string& text) {
        return {std::stod(text), text, core::rounding_interval(text), core::Rigour::rounding};
    }

    static core::Result squares(const std::string& name, bool enclosed) {
        core::Result result;
        result.name = name;
        result.kind = "curve";
        core::Series series;
        series.columns = {{"n", {}, {}}, {"value", {}, {}}};
        for (int n = 0; n < 10; ++n) {
            series.columns[0].values.push_back(n);
            series.columns[1].values.push_back(n * n);
            if (enclosed) series.columns[1].enclosures.push_back(core::Enclosure::exactly(n * n));
        }
        if (enclosed) series.rigour = core::Rigour::rigorous;
        result.series = std::move(series);
        result.set("min", core::Cell::exact(0));
        return result;
    }
};

inline core::ClaimRecord judge(const std::string& holds) {
    const Results results;
    return claim::judge(with_condition(holds), results.all);
}

}  // namespace claim_support
