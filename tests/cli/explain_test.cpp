#include <catch2/catch.hpp>

#include "cli/run_program.hpp"

using run_program::Done;
using run_program::Folder;

namespace {

/// The condition of T-1 holds for thresholds of at least 0.1, so with four digits it fails first at 0.09999.
const char* const study = R"toml([quantity.two]
kind = "value"
formula = "1 + 1"
[quantity.slow]
kind = "value"
formula = "sum(i, 1, 10^9, sin(i))"
[[claim]]
id = "T-1"
says = "Two is close to 2.1."
source = "Eq. (3)"
expect = "confirmed"
given = { close = 0.2 }
because = "the source gives no number"
holds = "abs(two - 2.1) <= close"
[[claim]]
id = "T-2"
says = "The sum is small."
holds = "slow < 10"
)toml";

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("explain shows a claim with its condition, numbers, thresholds and what would change it") {
    const Folder folder;
    folder.write("mine.toml", study);
    // The other claim would take minutes: nothing is computed for it.
    const Done done = folder.farfield({"explain", "T-1", "mine.toml"});
    CHECK(done.status == 0);
    CHECK(has(done.output, "T-1: confirmed, certified\n"));
    CHECK(has(done.output, "source: Eq. (3)\n"));
    CHECK(has(done.output, "in mine.toml:11\n"));
    CHECK(has(done.output, "condition   abs(two - 2.1) <= close\n"));
    CHECK(has(done.output, "given       close = 0.2\n"));
    CHECK(has(done.output, "because     the source gives no number\n"));
    CHECK(has(done.output, "refuted at 0.09999"));
    CHECK(has(done.output, "what would change it: "));
    CHECK_FALSE(has(done.output, "T-2"));
}

TEST_CASE("explain finds claims in the folder where it runs, and writes them as JSON") {
    const Folder folder;
    folder.write("studies/mine.toml", study);
    const Done done = folder.farfield({"explain", "T-1", "--json"});
    CHECK(done.status == 0);
    CHECK(has(done.output, "\"id\": \"T-1\""));
    CHECK(has(done.output, "\"file\": \"studies/mine.toml\""));
    CHECK_FALSE(has(done.output, "T-2"));
}

TEST_CASE("explain shows a claim although a study beside its own is invalid") {
    const Folder folder;
    folder.write("studies/mine.toml", study);
    folder.write("studies/broken.toml", "[quantity.x]\nkind = 'nothing'\n");
    for (const std::vector<std::string>& asked :
         {std::vector<std::string>{"explain", "T-1"}, std::vector<std::string>{"explain", "T-1", "studies"}}) {
        const Done done = folder.farfield(asked);
        CHECK(done.status == 0);
        CHECK(has(done.output, "T-1: confirmed, certified\n"));
        CHECK(done.error.empty());
    }
    // A claim that no valid study has may be one of the invalid study.
    CHECK(has(folder.farfield({"explain", "T-3", "studies"}).error, "studies/broken.toml:2:"));
    CHECK(has(folder.farfield({"explain", "T-3"}).error, "farfield check studies"));
}

TEST_CASE("explain shows kinds with their keys, schemes and functions") {
    const Folder folder;
    for (const char* kind : {"curve", "perplexity"}) {
        const Done done = folder.farfield({"explain", kind});
        CHECK(done.status == 0);
        CHECK(has(done.output, "\nkeys\n"));
        CHECK(has(done.output, "\nkeys of every quantity\n  kind "));
    }
    CHECK(folder.farfield({"explain", "alibi"}).output == folder.farfield({"show", "alibi"}).output);
    CHECK(folder.farfield({"explain", "erf"}).output == "erf(a): error function\n");
    const Done unknown = folder.farfield({"explain", "alibbi"});
    CHECK(unknown.status == 2);
    // Names of other programs, and verdicts.
    CHECK(folder.farfield({"explain", "RoPE"}).output == folder.farfield({"show", "rotary"}).output);
    CHECK(folder.farfield({"explain", "not reproduced"}).output ==
          "not reproduced: The small trained models do not show what the claim says.\n");
}

TEST_CASE("explain says what an error means, by its message with or without a place, or by its id") {
    const Folder folder;
    for (const char* name : {"unknown-name", "unknown key 'fromula'", "s.toml:3:1: unknown key 'fromula'",
                             "s.toml:3:1: unknown key 'fromula'\n   known here: formula"}) {
        const Done done = folder.farfield({"explain", name});
        CHECK(done.status == 0);
        CHECK(done.output.starts_with("unknown-name\n"));
        CHECK(has(done.output, "\nwhat to do\n  "));
    }
    // A pattern that starts with the message.
    for (const char* message : {"s.toml:3:7: about() has 2 arguments; expected 3", "study:3:7: about() has 2 arguments",
                                "s.toml: about() has 2 arguments", "about() has 2:3 arguments: expected 3"})
        CHECK(folder.farfield({"explain", message}).output.starts_with("printed-number\n"));
    // What a special family has does not go to a general one.
    CHECK(folder.farfield({"explain", "claim X-1: expected refuted, found confirmed"})
              .output.starts_with("unexpected-verdict\n"));
    const Done other = folder.farfield({"explain", "nothing of the kind"});
    CHECK(other.status == 2);
    CHECK(has(other.error, "unknown name 'nothing of the kind'"));
}
