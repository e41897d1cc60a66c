#include "data/click_log_features.h"

namespace ultr {
namespace {

void add_list(const RawList& list, FeatureListsBuilder& into) {
  into.start_list(list.query);
  for (std::size_t k = 0; k < list.documents.size(); ++k) {
    FeatureDocument document = {
        .id = list.documents[k], .position = list.positions[k], .click = list.clicks[k]};
    if (!list.labels.empty()) document.label = list.labels[k];
    if (!list.propensities.empty()) document.propensity = list.propensities[k];
    into.add(document);
  }
}

}  // namespace

void ClickLogFeatureFormat::fields(Fields& f) {
  FeatureTextFormat::fields(f);
  f.integer("max_positions", max_positions_, "Documents that a list may show.", between(1, 1000));
  f.word("long_lists", long_lists_, "What to do with longer lists.", {"error", "truncate"});
  format_->fields(f);
}

FeatureTextFormat::FileReader ClickLogFeatureFormat::file_reader(const Files&,
                                                                 const FeatureReading&,
                                                                 const ReadRules&) const {
  return
      [this](const std::filesystem::path& file, const ReadRules& given, FeatureListsBuilder& into) {
        ReadRules rules = given;
        rules.max_positions = static_cast<std::size_t>(max_positions_);
        rules.truncate = long_lists_ == "truncate";
        return format_->reader()(file, rules, [&](const RawList& list) { add_list(list, into); });
      };
}

}  // namespace ultr
