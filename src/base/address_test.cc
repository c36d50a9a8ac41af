#include "base/address.h"

#include <gtest/gtest.h>

namespace sonder {
namespace {

TEST(Address, IsReadInItsParts) {
  const auto a = read_address("HTTPS://API.Example.org/v1/");
  ASSERT_TRUE(a.has_value());
  EXPECT_TRUE(a->secure);
  EXPECT_FALSE(a->loopback);
  EXPECT_EQ(a->host, "api.example.org");
  EXPECT_EQ(a->port, 443);
  EXPECT_EQ(a->base, "HTTPS://API.Example.org/v1");
  EXPECT_EQ(read_address("http://[::1]:8080/v1")->port, 8080);
}

TEST(Address, KnowsThisMachineByItsNameOrNumberOnly) {
  for (const char* here : {"http://localhost", "http://localhost:8080/v1", "http://127.0.0.1:1/v1",
                           "http://127.255.0.9", "http://[::1]/", "https://LOCALHOST/v1"})
    EXPECT_TRUE(read_address(here)->loopback) << here;
  for (const char* there :
       {"http://127.0.0.1.example.org/", "http://localhost.example.org", "http://127.1/",
        "http://127.0.0.1x/", "http://127.0.0.256", "http://0127.0.0.1", "http://128.0.0.1", "http://[::2]/",
        "http://127.0.0", "http://0.0.0.0", "http://127.0.0.1."})
    EXPECT_FALSE(read_address(there)->loopback) << there;
}

TEST(Address, ThatCouldHideSomethingIsRefusedWithoutBeingRepeated) {
  for (const char* bad : {"",
                          "api.example.org/v1",
                          "ftp://a/",
                          "https://",
                          "https:///v1",
                          "https://me:k9-secret@a/v1",
                          "https://a/v1?key=k9-secret",
                          "https://a/v1#k9-secret",
                          "https://a:0/v1",
                          "https://a:65536/",
                          "https://a:/",
                          "https://a:8x/",
                          "https://a b/",
                          "https://a\\b/",
                          "https://a/v1\nHost: k9-secret",
                          "https://a%2eb/",
                          "https://[::1/v1",
                          "https://-a/",
                          "https://\xC3\xA4/",
                          "https://a:1:2/",
                          "https://[]/",
                          "file:///etc"}) {
    const auto found = read_address(bad);
    ASSERT_FALSE(found.has_value()) << bad;
    EXPECT_EQ(found.reason().find("k9-secret"), std::string::npos);
    EXPECT_EQ(found.reason().rfind("expected", 0), 0U);
  }
}

}  // namespace
}  // namespace sonder
