#include "dsl/session.h"

#include "dsl/signal_domains.h"

namespace ultr {

Index Session::index(Domain domain) const {
  if (const auto signal = signal_of(domain)) return inputs_->signal_entries(*signal);
  switch (domain) {
    case Domain::rank:
      return inputs_->positions();
    case Domain::rank_pair:
      last_click_used_ = true;
      return last_click_ == LastClick::observed ? inputs_->position_pairs()
                                                : inputs_->assumed_position_pairs();
    case Domain::document:
      return inputs_->rows();
    case Domain::document_rank:
      return inputs_->rows_at_positions();
    default:
      return inputs_->only_entry();
  }
}

std::vector<Prob> Session::alternatives(const LogitLayer& layer, const std::string& name,
                                        std::size_t count) const {
  std::vector<Prob> known;
  for (std::size_t way = 0; way < count; ++way)
    if (const auto share = probabilities_->known_coin({.layer = &layer, .alternative = way}))
      known.push_back(*share);
  if (known.size() == count) return known;
  return probabilities_->from_alternatives(layer.logits(*this).values, name, layer);
}

Prob Session::probability(const LogitLayer& layer, const std::string& name) const {
  const bool used_before = last_click_used_;
  const CoinKey any{.layer = &layer};
  const CoinKey here{.layer = &layer,
                     .last_click_matters = true,
                     .last_click_is_assumed = last_click_ == LastClick::assumed};
  for (const CoinKey& key : {any, here})
    if (const auto known = probabilities_->known_coin(key)) {
      last_click_used_ = used_before || key.last_click_matters;
      return *known;
    }
  last_click_used_ = false;
  const Logits logits = inputs_->with_document_terms(layer, layer.logits(*this));
  const Prob coin = probabilities_->from_logits(logits, name, last_click_used_ ? here : any);
  last_click_used_ = used_before || last_click_used_;
  return coin;
}

}  // namespace ultr
