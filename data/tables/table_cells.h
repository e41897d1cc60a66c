#pragma once

#include <cstdint>
#include <string_view>

#include "data/tables/table_columns.h"

namespace ultr {

// Parsers of a table's cells. They throw DataError without a place, such as "column 'clicked' is
// 'yes'; expected 0 or 1".

/// Largest displayed position of a table, counted as the file does.
inline constexpr std::uint16_t largest_table_position = 65535;

/// Returns the name of a query, document, session or user, which must not be empty.
std::string_view parse_name(std::string_view text, const TableColumn& column);
/// Parses 0 or 1, or false or true.
std::uint8_t parse_click(std::string_view text, const TableColumn& column);
/// Parses a signal: 0 or 1, or a dwell time in seconds, which may be empty.
std::uint16_t parse_signal(Signal signal, std::string_view text, const TableColumn& column);
/// Parses a displayed position of at least `first`.
std::uint16_t parse_position(std::string_view text, const TableColumn& column, std::uint16_t first);
/// Parses -2 (unjudged) or 0 to 31.
int parse_judgement(std::string_view text, const TableColumn& column);
/// Parses a number above 0 and at most 1. An empty cell is NaN.
float parse_propensity(std::string_view text, const TableColumn& column);
/// Parses a finite number. Numbers beyond float32 become its largest.
float parse_feature(std::string_view text, const TableColumn& column);
/// Parses a feature likewise. If it may be missing, an empty cell, or nan in any case of letters,
/// is NaN; else the message says which option lets it.
float parse_feature_or_missing(std::string_view text, const TableColumn& column, bool may_miss);
/// Parses a number of sessions that a list stands for, above 0; it need not be whole.
double parse_weight(std::string_view text, const TableColumn& column);
/// Parses a number of sessions up to `most`.
std::uint32_t parse_count(std::string_view text, const TableColumn& column, std::uint32_t least,
                          std::uint32_t most);
/// Parses a number of up to 18 digits, or a date and time such as 2024-05-31T13:05:59.123Z, of
/// which parts may be missing from the right: 2024-05 is before 2024-05-01. Returns a number that
/// orders times as they are, to the microsecond.
std::uint64_t parse_time(std::string_view text, const TableColumn& column);

}  // namespace ultr
