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

TEST_CASE("a name has a value for each layer, head and entry that it is learned by, known before training") {
    for (const std::string per : {"\"model\"", "\"layer\"", "\"head\"", "\"layer\", \"head\""}) {
        for (const std::size_t size : {0, 3}) {
            INFO(per << ", size " << size);
            const auto scheme = scheme_of(std::string("bias = \"-") + (size > 0 ? "a[n % 3]" : "a*n") +
                                          "\"\nlearn = { a = { init = 0.5, per = [" + per + "]" +
                                          (size > 0 ? ", size = 3" : "") + " } }\n");
            // The outline has as many values, as measured() checks.
            const auto result = measured("learned", "", subject_of(training_of(scheme, train::make_urn(8, 1))));
            const bool by_layer = per.find("layer") != per.npos, by_head = per.find("head") != per.npos;
            const std::size_t each = (by_layer ? 2 : 1) * (by_head ? 2 : 1) * std::max<std::size_t>(size, 1);
            CHECK(result.values.size() == 2 * each);  // the mean and that of the only seed
        }
    }
}

TEST_CASE("a scheme that learns nothing has no learned values") {
    const auto training = training_of(*scheme::Registry::builtin().find("alibi"), train::make_urn(8, 1));
    CHECK_THROWS_WITH(measured("learned", "", subject_of(training)),
                      Catch::Contains("the scheme 'alibi', which learns nothing"));
}
