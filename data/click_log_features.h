#pragma once

#include "data/feature_format.h"
#include "data/log_format.h"

namespace ultr {

/// Reads a format of click logs as feature lists, with ids, positions, clicks and what else the log
/// has, but without features.
class ClickLogFeatureFormat final : public FeatureTextFormat {
 public:
  explicit ClickLogFeatureFormat(std::unique_ptr<LogFormat> format) : format_(std::move(format)) {}

  void fields(Fields& f) override;

 protected:
  FileReader file_reader(const Files& files, const FeatureReading& reading,
                         const ReadRules& rules) const override;

 private:
  std::unique_ptr<LogFormat> format_;
  std::int64_t max_positions_ = 1000;
  std::string long_lists_ = "error";
};

}  // namespace ultr
