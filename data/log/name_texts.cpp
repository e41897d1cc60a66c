#include "data/log/name_texts.h"

#include <algorithm>

namespace ultr {

void NameTexts::add(const IdNames::Key& key, std::string_view text) {
  texts_ += text;
  keys_.push_back(key);
  ends_.push_back(texts_.size());
}

void NameTexts::add(const NameTexts& others) {
  for (const std::size_t end : others.ends_) ends_.push_back(texts_.size() + end);
  keys_.insert(keys_.end(), others.keys_.begin(), others.keys_.end());
  texts_ += others.texts_;
}

void NameTexts::add_to(IdNames& names) const {
  constexpr std::size_t ahead = 16;  // names whose memory is on its way
  std::size_t begin = 0;
  for (std::size_t i = 0, next = 0; i < keys_.size(); begin = ends_[i++]) {
    for (; next < std::min(i + ahead, keys_.size()); ++next) names.prefetch(keys_[next].id);
    names.add(keys_[i], std::string_view(texts_).substr(begin, ends_[i] - begin));
  }
}

bool RecentNames::has(const IdNames::Key& key) {
  Entry& entry = recent_[key.id % most];
  if (entry.id == key.id && entry.check == key.check) return true;
  entry = {key.id, key.check};
  return false;
}

}  // namespace ultr
