#include <catch2/catch.hpp>
#include <cmath>

#include "measure/measure_support.hpp"

using namespace measure_support;

TEST_CASE("a model that is not trained has each learned name at its start") {
    const auto training = training_of(*scheme::Registry::builtin().find("kerple-log"), train::make_urn(8, 1));
    const auto result = measured("learned", "", subject_of(training, 2));
    for (const char* name : {"r1[h=1]", "r1[h=2]", "r2[h=1,seed=1]", "r2[h=2,seed=0]"}) {
        INFO(name);
        CHECK(value(result, name) == Approx(1).epsilon(1e-6));
    }
    CHECK(value(result, "r1_sd[h=1]") == 0);
    CHECK(result.find("r1[h=3]") == nullptr);
    CHECK(result.find("r1") == nullptr);
}

TEST_CASE("a value is that of its layer, head and entry") {
    const auto scheme =
        scheme_of("bias = \"-a[n % 3]\"\nlearn = { a = { init = 0.5, per = [\"layer\", \"head\"], size = 3 } }\n");
    const auto subject = subject_of(training_of(scheme, train::make_urn(8, 1)));
    auto changed = std::make_shared<model::Model<float>>(*subject.models[0]);
    // [R, H, size]: layer 2, head 1, entry 2.
    changed->parameters()[changed->layout().at("scheme.a").offset + (1 * 2 + 0) * 3 + 2] = 7;
    const auto result = measured("learned", "", {subject.name, subject.trainings, {changed}});
    CHECK(value(result, "a[layer=2,h=1,2]") == 7);
    CHECK(value(result, "a[layer=1,h=1,2]") == 0.5);
    CHECK(value(result, "a[layer=2,h=2,2]") == 0.5);
    CHECK(value(result, "a[layer=2,h=1,1]") == 0.5);
}

TEST_CASE("a scheme that learns nothing has no learned values") {
    const auto training = training_of(*scheme::Registry::builtin().find("alibi"), train::make_urn(8, 1));
    CHECK_THROWS_WITH(measured("learned", "", subject_of(training)),
                      Catch::Contains("the scheme 'alibi', which learns nothing"));
}
