#include "data/formats/feature_format.h"

namespace ultr {

void FeatureFormat::read_parts(const Files& files, const FeatureReading& reading,
                               std::vector<std::string>& notes,
                               const std::function<void(const FeatureLists&)>& take) const {
  take(read(files, reading, notes));
}

FeatureLists FeatureTextFormat::read(const Files& files, const FeatureReading& reading,
                                     std::vector<std::string>& notes) const {
  if (files.empty()) return {};
  FeatureListsBuilder builder(reading.features);
  read_to(builder, files, reading, notes);
  return builder.build();
}

void FeatureTextFormat::read_parts(const Files& files, const FeatureReading& reading,
                                   std::vector<std::string>& notes,
                                   const std::function<void(const FeatureLists&)>& take) const {
  if (files.empty()) return;
  constexpr std::size_t numbers = std::size_t{1} << 18;  // 1 MiB
  FeatureListsBuilder builder(reading.features, {.numbers = numbers, .take = take});
  read_to(builder, files, reading, notes);
  builder.finish_part();
}

void FeatureTextFormat::read_to(FeatureListsBuilder& builder, const Files& files,
                                const FeatureReading& reading,
                                std::vector<std::string>& notes) const {
  const ReadRules rules = {.skip_malformed = malformed_.skip(),
                           .missing_features = reading.missing,
                           .progress = reading.progress,
                           .names = reading.names};
  if (reading.missing) builder.allow_missing(absent());
  const FileReader read_file = file_reader(files, reading, rules);
  for (const std::filesystem::path& file : files) {
    const ReadReport report = read_file(file, rules, builder);
    add_notes(file, report, rules, notes);
  }
}

}  // namespace ultr
