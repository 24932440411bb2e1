#include "recheck/expression.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using namespace farfield::recheck;

namespace {

Value at(const std::string& formula, const std::string& x, long bits = 160) {
    return evaluate(parse(formula), {{"x", {x, x}}}, bits);
}

Value on(const std::string& formula, const std::string& lo, const std::string& hi) {
    return evaluate(parse(formula), {{"x", {lo, hi}}});
}

Slope slope(const std::string& formula, const std::string& lo, const std::string& hi) {
    return differentiate(parse(formula), {{"x", {lo, hi}}}, "x");
}

struct Reference {
    const char* formula;
    const char* x;
    const char* value;
};

// By mpmath 1.3 at 60 digits, shown with 42.
const std::vector<Reference> references = {
    {"sqrt(x)", "0.1", "3.16227766016837933199889354443271853371956e-1"},
    {"sqrt(x)", "1", "1.0"},
    {"sqrt(x)", "2.5", "1.58113883008418966599944677221635926685978"},
    {"sqrt(x)", "30.25", "5.5"},
    {"exp(x)", "-7/3", "9.69719678644050628099066592983707314807209e-2"},
    {"exp(x)", "-0.4", "6.70320046035639300744432925147826071936981e-1"},
    {"exp(x)", "0.1", "1.10517091807564762481170782649024666822455"},
    {"exp(x)", "1", "2.71828182845904523536028747135266249775725"},
    {"exp(x)", "2.5", "1.21824939607034734380701759511679661831828e+1"},
    {"exp(x)", "30.25", "1.37217049774649053106762092709365519475098e+13"},
    {"expm1(x)", "-7/3", "-9.03028032135594937190093340701629268519279e-1"},
    {"expm1(x)", "-0.4", "-3.29679953964360699255567074852173928063019e-1"},
    {"expm1(x)", "0.1", "1.05170918075647624811707826490246668224547e-1"},
    {"expm1(x)", "1", "1.71828182845904523536028747135266249775725"},
    {"expm1(x)", "2.5", "1.11824939607034734380701759511679661831828e+1"},
    {"expm1(x)", "30.25", "1.37217049774639053106762092709365519475098e+13"},
    {"log(x)", "0.1", "-2.3025850929940456840179914546843642076011"},
    {"log(x)", "1", "0.0"},
    {"log(x)", "2.5", "9.16290731874155065183527211768011071450101e-1"},
    {"log(x)", "30.25", "3.40949618447685046928942291301390546349241"},
    {"log1p(x)", "-0.4", "-5.10825623765990683205514096303661934878111e-1"},
    {"log1p(x)", "0.1", "9.53101798043248600439521232807650922206054e-2"},
    {"log1p(x)", "1", "6.931471805599453094172321214581765680755e-1"},
    {"log1p(x)", "2.5", "1.25276296849536799568812062198500316156158"},
    {"log1p(x)", "30.25", "3.4420193761824105049678137567622097824258"},
    {"log2(x)", "0.1", "-3.32192809488736234787031942948939017586483"},
    {"log2(x)", "1", "0.0"},
    {"log2(x)", "2.5", "1.32192809488736234787031942948939017586483"},
    {"log2(x)", "30.25", "4.91886323727459451239872609345158591740646"},
    {"sin(x)", "-7/3", "-7.23085881738324616797887928616367326380143e-1"},
    {"sin(x)", "-0.4", "-3.8941834230865049166631175679570526459306e-1"},
    {"sin(x)", "0.1", "9.98334166468281523068141984106220269899154e-2"},
    {"sin(x)", "1", "8.41470984807896506652502321630298999622563e-1"},
    {"sin(x)", "2.5", "5.98472144103956494051854702186162271703597e-1"},
    {"sin(x)", "30.25", "-9.1915369420357723597392599192971882304966e-1"},
    {"cos(x)", "-7/3", "-6.90758139749876292727971694756348787010027e-1"},
    {"cos(x)", "-0.4", "9.2106099400288508279852673205180161402586e-1"},
    {"cos(x)", "0.1", "9.95004165278025766095561987803870294838576e-1"},
    {"cos(x)", "1", "5.4030230586813971740093660744297660373231e-1"},
    {"cos(x)", "2.5", "-8.01143615546933714833502790467351664428568e-1"},
    {"cos(x)", "30.25", "3.93899081532207722713401967225966449524417e-1"},
    {"tan(x)", "-7/3", "1.04680037791542233305546515566727141309207"},
    {"tan(x)", "-0.4", "-4.2279321873816176198163542716529033394199e-1"},
    {"tan(x)", "0.1", "1.00334672085450545058080045781111536819005e-1"},
    {"tan(x)", "1", "1.55740772465490223050697480745836017308725"},
    {"tan(x)", "2.5", "-7.47022297238660279355352687825274557904117e-1"},
    {"tan(x)", "30.25", "-2.33347508866537257299890556445860127531337"},
    {"tanh(x)", "-7/3", "-9.81368081309866625456797767241823117506029e-1"},
    {"tanh(x)", "-0.4", "-3.79948962255224885267748123896873310513184e-1"},
    {"tanh(x)", "0.1", "9.96679946249558171183050836783521835389621e-2"},
    {"tanh(x)", "1", "7.61594155955764888119458282604793590412769e-1"},
    {"tanh(x)", "2.5", "9.86614298151430288881276039237349639212512e-1"},
    {"tanh(x)", "30.25", "9.99999999999999999999999989377815500641809e-1"},
    {"atan2(x, 0.5)", "-7/3", "-1.35970299357215007238905694949115222905312"},
    {"atan2(x, 0.5)", "-0.4", "-6.74740942223552663056520973609813615074006e-1"},
    {"atan2(x, 0.5)", "0.1", "1.97395559849880758370049765194790293447585e-1"},
    {"atan2(x, 0.5)", "1", "1.10714871779409050301706546017853704007005"},
    {"atan2(x, 0.5)", "2.5", "1.373400766945015860861271926444961148651"},
    {"atan2(x, 0.5)", "30.25", "1.55426890619217582176354388641251214938644"},
    {"atan2(0.5, x)", "-7/3", "2.9304993203670466916203786411309036711517"},
    {"atan2(0.5, x)", "-0.4", "2.24553726901844928228784266524956505717259"},
    {"atan2(0.5, x)", "0.1", "1.373400766945015860861271926444961148651"},
    {"atan2(0.5, x)", "1", "4.63647609000806116214256231461214402028537e-1"},
    {"atan2(0.5, x)", "2.5", "1.97395559849880758370049765194790293447585e-1"},
    {"atan2(0.5, x)", "30.25", "1.6527420602720797467777805227239292712147e-2"},
    {"softplus(x)", "-7/3", "9.2553627515736823296253307990030948270074e-2"},
    {"softplus(x)", "-0.4", "5.13015252399952623668371950845912493268653e-1"},
    {"softplus(x)", "0.1", "7.44396660073570894830099108315658041905549e-1"},
    {"softplus(x)", "1", "1.31326168751822283404899549496785564191528"},
    {"softplus(x)", "2.5", "2.57888973429254962334404391671755099725908"},
    {"softplus(x)", "30.25", "3.02500000000000728772409581942686473069355e+1"},
    {"sigmoid(x)", "-7/3", "8.83996772070584136279608840531551625484582e-2"},
    {"sigmoid(x)", "-0.4", "4.01312339887547999630921340594492165805314e-1"},
    {"sigmoid(x)", "0.1", "5.249791874789399860991931826041421598214e-1"},
    {"sigmoid(x)", "1", "7.31058578630004879251159241821836274365145e-1"},
    {"sigmoid(x)", "2.5", "9.24141819978756448806693823353752226869288e-1"},
    {"sigmoid(x)", "30.25", "9.99999999999927122759041808386898817903839e-1"},
    {"erf(x)", "-7/3", "-9.99032571549752254126036335408667004154813e-1"},
    {"erf(x)", "-0.4", "-4.28392355046668455103603845320172444121863e-1"},
    {"erf(x)", "0.1", "1.12462916018284892203275071743968383221696e-1"},
    {"erf(x)", "1", "8.42700792949714869341220635082609259296067e-1"},
    {"erf(x)", "2.5", "9.99593047982555041060435784260025087279651e-1"},
    {"erf(x)", "30.25", "1.0"},
    {"Si(x)", "-7/3", "-1.73277587530360000998046394885057353476943"},
    {"Si(x)", "-0.4", "-3.9646146475137288302033426313517445414422e-1"},
    {"Si(x)", "0.1", "9.99444611082769501605921185541909304317852e-2"},
    {"Si(x)", "1", "9.46083070367183014941353313823179657812338e-1"},
    {"Si(x)", "2.5", "1.77852017344382664210031198173622947870957"},
    {"Si(x)", "30.25", "1.55880099065091294989362528971173881601626"},
    {"argmin(i, 0, 9, abs(i - x))", "2.5", "2.0"},
    {"argmax(i, 0, 9, sin(i*x))", "1", "8.0"},
    {"binomial(30, x)", "1", "3.0e+1"},
    {"x^0.3", "0.1", "5.01187233627272285001554186884945768060472e-1"},
    {"x^0.3", "1", "1.0"},
    {"x^0.3", "2.5", "1.31638220433423741350347022019305143409817"},
    {"x^0.3", "30.25", "2.78110645897131982141082341621327541188119"},
    {"x^3", "-7/3", "-1.27037037037037037037037037037037037037037e+1"},
    {"x^3", "-0.4", "-6.4e-2"},
    {"x^3", "0.1", "1.0e-3"},
    {"x^3", "1", "1.0"},
    {"x^3", "2.5", "1.5625e+1"},
    {"x^3", "30.25", "2.7680640625e+4"},
    {"x^-2", "-7/3", "1.83673469387755102040816326530612244897959e-1"},
    {"x^-2", "-0.4", "6.25"},
    {"x^-2", "0.1", "1.0e+2"},
    {"x^-2", "1", "1.0"},
    {"x^-2", "2.5", "1.6e-1"},
    {"x^-2", "30.25", "1.09282152858411310702820845570657741957517e-3"},
    {"2^x", "-7/3", "1.98425131496024934343963204909038532548937e-1"},
    {"2^x", "-0.4", "7.57858283255199041173629900653222619340642e-1"},
    {"2^x", "0.1", "1.07177346253629316421300632502334202290638"},
    {"2^x", "1", "2.0"},
    {"2^x", "2.5", "5.65685424949238019520675489683879231427869"},
    {"2^x", "30.25", "1.27690141677679948314047411110955171159475e+9"},
    {"x % 0.7", "-7/3", "4.66666666666666666666666666666666666666667e-1"},
    {"x % 0.7", "-0.4", "3.0e-1"},
    {"x % 0.7", "0.1", "1.0e-1"},
    {"x % 0.7", "1", "3.0e-1"},
    {"x % 0.7", "2.5", "4.0e-1"},
    {"x % 0.7", "30.25", "1.5e-1"},
    {"floor(x) + 10*ceil(x) + 100*round(x)", "-7/3", "-2.23e+2"},
    {"floor(x) + 10*ceil(x) + 100*round(x)", "-0.4", "-1.0"},
    {"floor(x) + 10*ceil(x) + 100*round(x)", "0.1", "1.0e+1"},
    {"floor(x) + 10*ceil(x) + 100*round(x)", "1", "1.11e+2"},
    {"floor(x) + 10*ceil(x) + 100*round(x)", "2.5", "2.32e+2"},
    {"floor(x) + 10*ceil(x) + 100*round(x)", "30.25", "3.34e+3"},
    {"sum(i, 1, 5, sin(i*x)/i)", "-7/3", "-3.08804695736993025015805754540407082733433e-1"},
    {"sum(i, 1, 5, sin(i*x)/i)", "-0.4", "-1.49052896920633328586800963682024745769647"},
    {"sum(i, 1, 5, sin(i*x)/i)", "0.1", "4.90914510896141841376196286773533287165589e-1"},
    {"sum(i, 1, 5, sin(i*x)/i)", "1", "9.62174222147750005095636533996385446051531e-1"},
    {"sum(i, 1, 5, sin(i*x)/i)", "2.5", "2.82407008504717621117696552388978157962363e-1"},
    {"sum(i, 1, 5, sin(i*x)/i)", "30.25", "-8.27636982304885291496951725312920537766188e-1"},
    {"prod(i, 1, 4, x + i*e)", "-7/3", "5.93881557093821160680991643990205183087106e+1"},
    {"prod(i, 1, 4, x + i*e)", "-0.4", "9.48309476115506235377935485574581063482465e+2"},
    {"prod(i, 1, 4, x + i*e)", "0.1", "1.41339673786431039461117316962748445051151e+3"},
    {"prod(i, 1, 4, x + i*e)", "1", "2.60143222870200833522774058743139887495526e+3"},
    {"prod(i, 1, 4, x + i*e)", "2.5", "5.90119777353172576072241340009101229319823e+3"},
    {"prod(i, 1, 4, x + i*e)", "30.25", "1.85811761834226458042672215226843847482088e+6"},
    {"min(x, pi, 2) + max(x, 1/3)", "-7/3", "-2.0"},
    {"min(x, pi, 2) + max(x, 1/3)", "-0.4", "-6.66666666666666666666666666666666666666667e-2"},
    {"min(x, pi, 2) + max(x, 1/3)", "0.1", "4.33333333333333333333333333333333333333333e-1"},
    {"min(x, pi, 2) + max(x, 1/3)", "1", "2.0"},
    {"min(x, pi, 2) + max(x, 1/3)", "2.5", "4.5"},
    {"min(x, pi, 2) + max(x, 1/3)", "30.25", "3.225e+1"},
    {"if(x < 0.5, abs(x), sign(x)*x^2)", "-7/3", "2.33333333333333333333333333333333333333333"},
    {"if(x < 0.5, abs(x), sign(x)*x^2)", "-0.4", "4.0e-1"},
    {"if(x < 0.5, abs(x), sign(x)*x^2)", "0.1", "1.0e-1"},
    {"if(x < 0.5, abs(x), sign(x)*x^2)", "1", "1.0"},
    {"if(x < 0.5, abs(x), sign(x)*x^2)", "2.5", "6.25"},
    {"if(x < 0.5, abs(x), sign(x)*x^2)", "30.25", "9.150625e+2"},
    {"clamp(x, -1, e)", "-7/3", "-1"},
    {"clamp(x, -1, e)", "-0.4", "-4.0e-1"},
    {"clamp(x, -1, e)", "0.1", "1.0e-1"},
    {"clamp(x, -1, e)", "1", "1.0"},
    {"clamp(x, -1, e)", "2.5", "2.5"},
    {"clamp(x, -1, e)", "30.25", "2.71828182845904523536028747135266249775725"},
};

}  // namespace

TEST_CASE("values agree with mpmath to 35 digits") {
    for (const Reference& reference : references) {
        CAPTURE(reference.formula, reference.x);
        const Value value = at(reference.formula, reference.x);
        const std::string difference =
            "(" + std::string(reference.formula) + ") - (" + std::string(reference.value) + ")";
        const std::string size = "1e-35*(1 + abs(" + std::string(reference.value) + "))";
        CHECK(value.is_defined() == Truth::yes);
        CHECK(decide(parse("abs(" + difference + ") <= " + size), {{"x", {reference.x, reference.x}}}, 160) ==
              Truth::yes);
    }
}

TEST_CASE("integrals are enclosed by the midpoint rule") {
    // By antiderivatives.
    const auto holds = [](const std::string& condition, const std::string& x) {
        return decide(parse(condition), {{"x", {x, x}}}, 128);
    };
    CHECK(holds("abs(integral(t, 0, 1, x*t^2) - x/3) < 1e-7", "2.5") == Truth::yes);
    CHECK(holds("abs(integral(t, x, 0, t) + x^2/2) < 1e-7", "3") == Truth::yes);
    CHECK(holds("abs(sum(i, 1, 2, integral(t, 0, i, exp(x*t))) - (exp(x) + exp(2*x) - 2)/x) < 1e-4", "1") ==
          Truth::yes);
    CHECK(holds("integral(t, 0, 1, x*t) < x/2", "1") == Truth::no);
    CHECK(holds("integral(t, 0, 1, x*exp(t)) < x*(e - 1)", "1") == Truth::maybe);
    CHECK(holds("integral(t, -1, 1, x/t) > 0", "1") == Truth::maybe);
    // Bounds that are no rational numbers, of one number and of a box.
    CHECK(holds("abs(integral(t, 0, pi, x*sin(t)) - 2*x) < 1e-5", "1") == Truth::yes);
    CHECK(holds("integral(t, pi, 0, x*sin(t)) < -1.99", "1") == Truth::yes);
    CHECK(holds("integral(t, 0, 1/0, x*t) > 0", "1") == Truth::maybe);
    // x^4/8, and an integral of logarithms, by their antiderivatives.
    CHECK(holds("abs(integral(s, 0, x, integral(t, 0, s, s*t)) - x^4/8) < 1e-4", "1") == Truth::yes);
    CHECK(holds("abs(integral(s, 0, x, integral(t, 1, 2, 1/(s + t))) - (3*log(3) - 4*log(2))) < 1e-4", "1") ==
          Truth::yes);
    CHECK(holds("integral(s, 0, x, integral(t, 0, s, s*t)) > 0.126", "1") == Truth::no);
    CHECK(holds("integral(s, 0, 1, integral(t, 0, 1, x/(s - t))) > 0", "1") == Truth::maybe);
}

TEST_CASE("a result that stays rational is exact") {
    CHECK(at("0.1 + 0.2", "0").text() == "3/10");
    CHECK(at("(1/3)^-3 - 7 % 4", "0").text() == "24");
    CHECK(at("8^(1/3) + 4^-0.5 + sqrt(9/4)", "0").text() == "4");
    CHECK(at("round(0.15*10) + round(2.5) + round(-0.5)", "0").text() == "4");
    // 0.1 in fp16 is 0x1.998p-4, 1/3 in bf16 0x1.56p-2, and 464 is halfway between 448 and what e4m3 lacks.
    CHECK(at("fp16(0.1)", "0").text() == "819/8192");
    CHECK(at("bf16(1/3) + fp32(1 + 2^-24)", "0").text() == "683/512");
    CHECK(at("e4m3(464) - e5m2(-5)", "0").text() == "453");
    CHECK(at("fp16(1 + 2^-11 + 2^-100)", "0").text() == "1025/1024");
    CHECK(decide(parse("e4m3(465) > 0"), {}) == Truth::maybe);
    CHECK(at("sum(i, 1, 100, i^2) + prod(i, 1, 5, i)", "0").text() == "338470");
    CHECK(at("exp(0) + cos(0) + log(1) + log2(1/8)", "0").text() == "-1");
    CHECK(decide(parse("all(n, 10^16, 10^16 + 10, n % 2 == 0)"), {}) == Truth::no);
    CHECK(decide(parse("exists(i, 1, 100, i^2 == 49)"), {}) == Truth::yes);
    CHECK(decide(parse("0.1 + 0.2 == 0.3"), {}) == Truth::yes);
}

TEST_CASE("the grammar of docs/formula.md") {
    CHECK(at("-2^2", "0").text() == "-4");
    CHECK(at("2^3^2", "0").text() == "512");
    CHECK(at("2^-2 - -3", "0").text() == "13/4");
    CHECK(at("1 < 2 ? 5 : 1/0", "0").text() == "5");
    CHECK(at("sum(i, 3, 2, 1/0)", "0").text() == "0");
    CHECK(decide(parse("not 1 < 2 or 3 >= 3 and 1 != 2"), {}) == Truth::yes);
    for (const char* wrong : {"", "1 +", "1 < 2 < 3", "(1", "sin()", "1 2", "'open", "1 and 2", "sum(1, 2, 3, 4)"})
        CHECK_THROWS_AS(parse(wrong), std::runtime_error);
    CHECK_THROWS_AS(at("y", "0"), std::runtime_error);
    CHECK_THROWS_AS(at("sum(i, 1, 10^12, i)", "0"), std::runtime_error);
}

TEST_CASE("T5's buckets of 32 with a largest distance of 128") {
    // From the published rule: n below 16; else 16 + floor(16 log(n/16)/log(8)), at most 31.
    for (const auto& [n, bucket] : std::vector<std::pair<int, int>>{{-3, 0},
                                                                    {0, 0},
                                                                    {15, 15},
                                                                    {16, 16},
                                                                    {17, 16},
                                                                    {20, 17},
                                                                    {32, 21},
                                                                    {64, 26},
                                                                    {127, 31},
                                                                    {128, 31},
                                                                    {5000, 31}})
        CHECK(
            at("t5_bucket(x, 32, 128)", std::to_string(n)).is_within(std::to_string(bucket), std::to_string(bucket)) ==
            Truth::yes);
}

TEST_CASE("the existence of a value is distinguished from the value") {
    CHECK(on("sqrt(x)", "0", "1").is_defined() == Truth::yes);
    CHECK(on("sqrt(x)", "-1", "1").is_defined() == Truth::maybe);
    CHECK(on("sqrt(x)", "-2", "-1").is_defined() == Truth::no);
    CHECK(on("log(x)", "0", "1").is_defined() == Truth::maybe);
    CHECK(at("log(x)", "0").is_defined() == Truth::no);
    CHECK(at("1/x", "0").is_defined() == Truth::no);
    CHECK(on("1/x", "-1", "1").is_defined() == Truth::maybe);
    CHECK(on("x/x", "0", "1").is_defined() == Truth::maybe);
    CHECK(on("tan(x)", "1", "2").is_defined() == Truth::maybe);
    CHECK(on("tan(x)", "-1.5", "1.5").is_defined() == Truth::yes);
    CHECK(on("x^0.5", "-1", "1").is_defined() == Truth::maybe);
    CHECK(at("x^x", "0").text() == "1");
    CHECK(on("if(x > 0, log(x), 0)", "0", "1").is_defined() == Truth::maybe);
    CHECK(on("if(x > -1, 1, log(x))", "0", "1").is_defined() == Truth::yes);
    // A comparison of what may have no value is open.
    CHECK(decide(parse("sqrt(x) >= 0"), {{"x", {"-1", "1"}}}) == Truth::maybe);
    CHECK(decide(parse("log(x) < 1 or 1 == 1"), {{"x", {"-1", "1"}}}) == Truth::yes);
}

TEST_CASE("a function of an infinity is left undecided if it may have a real value") {
    for (const char* formula : {"2^(-inf)", "3 % inf", "atan2(inf, 1)", "t5_bucket(inf, 32, 128)"}) {
        CAPTURE(formula);
        CHECK(at(formula, "0").is_defined() == Truth::maybe);
    }
    CHECK(at("0^(10^30) + 0^(1/1001)", "0").text() == "0");
    CHECK(at("0^(-1)", "0").is_defined() == Truth::no);
}

TEST_CASE("infinities are no real values") {
    CHECK(at("inf - 1", "0").infinite() == 1);
    CHECK(at("-inf", "0").infinite() == -1);
    CHECK(at("inf - inf", "0").infinite() == 0);
    CHECK(at("inf - inf", "0").is_defined() == Truth::no);
    CHECK(at("exp(-inf)", "0").text() == "0");
    CHECK(decide(parse("-inf < -10^300 and 10^300 < inf"), {}) == Truth::yes);
    CHECK(decide(parse("inf == inf"), {}) == Truth::maybe);
}

TEST_CASE("an interval contains the values at its points") {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> ends(-4, 4);
    for (const Reference& reference : references) {
        const Expression formula = parse(reference.formula);
        for (int trial = 0; trial < 10; ++trial) {
            const double a = ends(random);
            const double b = ends(random);
            const double middle = a / 2 + b / 2;
            const auto shown = [](double x) {
                char text[64];
                std::snprintf(text, sizeof text, "%a", x);
                return std::string(text);
            };
            const std::string lo = shown(std::min(a, b));
            const std::string hi = shown(std::max(a, b));
            const std::string between = shown(middle);
            const Value box = evaluate(formula, {{"x", {lo, hi}}});
            CAPTURE(reference.formula, lo, hi);
            for (const std::string& x : {lo, hi, between}) {
                const Value point = evaluate(formula, {{"x", {x, x}}});
                if (box.is_defined() == Truth::yes) CHECK(point.is_defined() == Truth::yes);
                if (box.is_defined() == Truth::no) CHECK(point.is_defined() == Truth::no);
                if (point.is_defined() != Truth::yes) continue;
                CHECK(box.lower() <= point.lower());
                CHECK(point.upper() <= box.upper());
            }
        }
    }
}

TEST_CASE("extremes of waves are found inside the interval") {
    CHECK(on("cos(x)", "-1", "1").upper() == 1);
    CHECK(on("cos(x)", "3", "3.2").lower() == -1);
    CHECK(on("sin(x)", "1.5", "1.6").upper() == 1);
    CHECK(on("sin(x)", "4.7", "4.72").lower() == -1);
    CHECK(on("sin(x)", "-1.6", "-1.5").lower() == -1);
    CHECK(on("cos(x)", "0.1", "3").upper() < 0.996);
    CHECK(on("cos(x)", "0.1", "3").lower() > -0.991);
    CHECK(on("cos(x)", "1", "8").lower() == -1);
    CHECK(on("cos(x)", "1", "8").upper() == 1);
}

TEST_CASE("exponents that are too large for memory are bounded, not computed") {
    // exp(1e300) has an exponent of 997 bits: of its cosine nothing more is known.
    CHECK(on("cos(expm1(x))", "0", "1e300").lower() == -1);
    CHECK(at("cos(expm1(x))", "1e300").upper() == 1);
    CHECK(at("2^(-2^63)", "0").lower() >= 0);
    CHECK(at("2^(-2^63)", "0").upper() < 1e-300);
}

TEST_CASE("slopes by forward differentiation") {
    const Slope cube = slope("x^3 - 2*x", "1", "2");
    CHECK(cube.is_smooth);
    CHECK(cube.first.lower() == 1);
    CHECK(cube.first.upper() == 10);
    CHECK(cube.second.lower() == 6);
    CHECK(cube.second.upper() == 12);
    const Slope kink = slope("30*x^2 + x - 40*abs(x - 0.5)", "0", "1");
    CHECK(kink.is_continuous);
    CHECK_FALSE(kink.is_smooth);
    CHECK(kink.first.lower() <= -9);  // the slope just above 0.5
    CHECK_FALSE(slope("floor(x)", "0.5", "1.5").is_continuous);
    CHECK_FALSE(slope("fp16(x)", "1", "1.1").is_continuous);
    CHECK(slope("fp16(x)", "1", "1.0001").is_continuous);
    CHECK(slope("floor(x)", "1", "1.5").is_continuous);
    CHECK_FALSE(slope("(x - 0.5)^(-1)", "0", "1").is_continuous);
    CHECK_FALSE(slope("0^x", "0", "1").is_continuous);
    CHECK_FALSE(slope("if(x < 0.5, 0, 1)", "0", "1").is_continuous);
    CHECK_FALSE(slope("sum(i, 0, x, i)", "0", "1").is_continuous);
    const Slope root = slope("sqrt(x)", "0", "1");
    CHECK(root.is_continuous);
    CHECK(root.first.lower() == 0.5);
    CHECK(std::isinf(root.first.upper()));
}

TEST_CASE("slopes contain difference quotients") {
    // By the mean value theorem, of every formula that is continuous on the interval.
    for (const Reference& reference : references) {
        const Expression formula = parse(reference.formula);
        for (const auto& [lo, hi] : std::vector<std::pair<std::string, std::string>>{
                 {"0.5", "0.625"}, {"1", "1.5"}, {"-0.75", "-0.5"}, {"-0.25", "0.25"}, {"2", "3"}}) {
            const Slope found = differentiate(formula, {{"x", {lo, hi}}}, "x");
            CAPTURE(reference.formula, lo, hi);
            if (!found.is_continuous) continue;
            const Value low = evaluate(formula, {{"x", {lo, lo}}});
            const Value high = evaluate(formula, {{"x", {hi, hi}}});
            const double width = std::stod(hi) - std::stod(lo);
            const double rounding = 1e-13 * (1 + std::abs(low.lower()) + std::abs(high.lower()));
            CHECK(found.first.lower() * width <= high.upper() - low.lower() + rounding);
            CHECK(found.first.upper() * width >= high.lower() - low.upper() - rounding);
        }
    }
}
