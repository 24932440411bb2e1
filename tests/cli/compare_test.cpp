// The exit status of `compare`, on tensors of tests/references/compare.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "run_program.hpp"

namespace run_program {
namespace {

Done compare(const std::string& tensor, const std::string& scheme, const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {"compare", FARFIELD_SOURCE "/tests/references/compare/tensors/" + tensor,
                                          "--scheme", scheme};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return Folder().farfield(arguments);
}

}  // namespace

TEST_CASE("compare gives 0 for what is equal or a convention, and --strict for what is equal alone") {
    CHECK(compare("alibi.npy", "alibi").status == 0);
    CHECK(compare("alibi.npy", "alibi", {"--strict"}).status == 0);
    const Done convention = compare("cos-by-exp-in-single.npy", "rotary", {"--part", "cos"});
    CHECK(convention.status == 0);
    CHECK_THAT(convention.output, Catch::Contains("counts as equal"));
    CHECK(compare("cos-by-exp-in-single.npy", "rotary", {"--part", "cos", "--strict"}).status == 1);
    CHECK(compare("cos-of-bf16.npy", "rotary", {"--part", "cos"}).status == 1);
}

TEST_CASE("compare gives 0 for a difference whose variations are all accepted") {
    CHECK(compare("alibi-reversed-from-0.npy", "alibi").status == 1);
    CHECK(compare("alibi-reversed-from-0.npy", "alibi", {"--accept", "reversed-sign"}).status == 1);
    CHECK(compare("alibi-reversed-from-0.npy", "alibi", {"--accept", "head-from-0,reversed-sign"}).status == 0);
    CHECK(compare("alibi-noise.npy", "alibi", {"--accept", "head-from-0"}).status == 1);
}

TEST_CASE("compare says where the numbers do not tell which variation it is") {
    const Done answer = compare("alibi-third-of-8.npy", "alibi");
    CHECK(answer.status == 0);
    CHECK_THAT(answer.output, Catch::Contains("(--heads 8 --head 3)"));
    CHECK_THAT(answer.output, Catch::Contains("as well by one-of-several-heads (--heads 16 --head 6)"));
    CHECK_THAT(answer.output, Catch::Contains("the numbers do not tell which"));
}

TEST_CASE("compare with --scheme any lists the schemes that a tensor may be of, those that it is of first") {
    const Done equal = compare("cos.npy", "any", {"--part", "cos"});
    CHECK(equal.status == 0);
    CHECK_THAT(equal.output, Catch::Contains("rotary             equal\n"));
    CHECK_THAT(equal.output, Catch::Contains("rotary-yarn        differs by"));
    CHECK(equal.output.find("xpos ") < equal.output.find("rotary-linear"));
    const Done varied = compare("alibi-public.npy", "any");
    CHECK(varied.status == 1);
    CHECK_THAT(varied.output, Catch::StartsWith("alibi              differs by public-slopes\n"));
    CHECK(compare("alibi-public.npy", "any", {"--accept", "public-slopes"}).status == 0);
    CHECK(compare("alibi-noise.npy", "any").status == 1);
    CHECK(compare("alibi.npy", "any", {"--set", "delta=1"}).status == 2);
}

}  // namespace run_program
