#include "data/formats/affine_bias.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/errors.h"
#include "testing/not_finite.h"
#include "testing/temporary_folder.h"

namespace ultr::affine_bias_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsNan;

AffineBias read(std::string_view content) {
  const testing::TemporaryFolder folder;
  return read_affine_bias(folder.write("bias.csv", content));
}

/// Returns the message that reading the content gives, without the path of the file.
std::string refusal(const std::string& content) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("bias.csv", content);
  const std::string message = testing::data_message([&] { read_affine_bias(file); });
  EXPECT_EQ(message.rfind(file, 0), 0u) << message;
  return message.substr(file.size());
}

TEST(AffineBiasTest, ReadsPositionsFromOneInAnyOrder) {
  const AffineBias bias = read("position,alpha,beta\n4,0.5,0\n1,0.35,0.65\n2,0.53,2.6e-1\n");
  EXPECT_THAT(bias.alpha, ElementsAre(0.35, 0.53, IsNan(), 0.5));
  EXPECT_THAT(bias.beta, ElementsAre(0.65, 0.26, IsNan(), 0));
  EXPECT_THAT(read("position,alpha,beta\n1,0.5,0\n2,0,0\n").alpha, ElementsAre(0.5, 0));
}

TEST(AffineBiasTest, RefusesOtherColumnsAndImpossibleNumbers) {
  for (const char* header :
       {"position,propensity", "position,beta,alpha", "rank,alpha,beta", "position,alpha,beta,x"})
    EXPECT_EQ(refusal(std::string(header) + "\n1,1,0\n"),
              ":1: header is '" + std::string(header) + "'; expected 'position,alpha,beta'");
  const std::string header = "position,alpha,beta\n";
  EXPECT_EQ(refusal(header + "1,0.5\n"), ":2: 2 fields; expected 3 as in the header");
  EXPECT_EQ(refusal(header + "1,-1,0.5\n"), ":2: alpha is '-1'; expected a number at least 0");
  EXPECT_EQ(refusal(header + "1,0,0.5\n"),
            ":2: alpha is 0 and beta is 0.5; expected alpha above 0, or both 0 where nobody looks");
  EXPECT_EQ(refusal(header + "1,0.5,-0.1\n"), ":2: beta is '-0.1'; expected a number at least 0");
  EXPECT_EQ(refusal(header + "1,0.5,\n"), ":2: beta is ''; expected a number at least 0");
  EXPECT_EQ(refusal(header + "2,0.5,0.2\n1,0.7,0.4\n"),
            ":3: alpha + beta is 1.1; expected at most 1, the click rate of relevant documents");
  EXPECT_EQ(refusal(header + "1,0.5,0.2\n1,0.5,0.2\n"),
            ":3: position 1 is on line 2 too; expected it once");
  EXPECT_EQ(refusal(header),
            ": has no position; expected a header such as 'position,alpha,beta' and a row for each "
            "position");
}

}  // namespace
}  // namespace ultr::affine_bias_test
