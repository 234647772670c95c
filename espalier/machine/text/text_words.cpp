// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/text/text_words.hpp"

#include <cstddef>

#include "espalier/machine/tree/refuse.hpp"

namespace espalier::machine {
namespace {

bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

bool is_space(char character) {
  return character == ' ' || character == '\t' || character == '\n' || character == '\r';
}

/// Whether a run of characters is of the short form, where an x separates: 8n, 4x4x4, x, x12c.
bool is_short_form(std::string_view run) {
  return run.find(':') == std::string_view::npos &&
         (is_digit(run.front()) || run == "x" || (run.starts_with("x") && is_digit(run[1])));
}

/// Reads one text from left to right.
class WordReader {
public:
  explicit WordReader(std::string_view text) : text_(text) {}

  std::vector<std::vector<Word>> read() {
    while (!rest_is_empty()) {
      switch (text_[position_]) {
      case '[':
        read_brackets();
        break;
      case ']':
        refuse("a [ before each ]", text_);
      case '+':
        end_part();
        ++position_;
        break;
      default:
        read_run();
      }
    }
    end_part();
    return parts_;
  }

private:
  /// Skips spaces.
  bool rest_is_empty() {
    while (position_ < text_.size() && is_space(text_[position_])) {
      ++position_;
    }
    return position_ == text_.size();
  }

  void read_brackets() {
    std::size_t const end = text_.find(']', position_);
    std::string_view const inside = text_.substr(position_ + 1, end - position_ - 1);
    if (end == std::string_view::npos || inside.find('[') != std::string_view::npos) {
      refuse("a ] after each [", text_.substr(position_));
    }
    if (words_.empty() || awaits_word_ || words_.back().has_brackets) {
      refuse("a level before [" + std::string(inside) + "]", text_);
    }
    words_.back().brackets = inside;
    words_.back().has_brackets = true;
    position_ = end + 1;
  }

  void read_run() {
    std::size_t end = position_;
    while (end < text_.size() && !is_space(text_[end]) &&
           std::string_view("[]+").find(text_[end]) == std::string_view::npos) {
      ++end;
    }
    std::string_view const run = text_.substr(position_, end - position_);
    position_ = end;
    if (is_short_form(run)) {
      split_run(run);
    } else {
      add_word(run);
    }
  }

  void split_run(std::string_view run) {
    while (true) {
      std::size_t const mark = run.find('x');
      if (mark != 0) {
        add_word(run.substr(0, mark));
      }
      if (mark == std::string_view::npos) {
        return;
      }
      await_word();
      run.remove_prefix(mark + 1);
      if (run.empty()) {
        return;
      }
    }
  }

  void add_word(std::string_view word) {
    words_.push_back({.text = word, .brackets = {}});
    awaits_word_ = false;
  }

  /// After an x.
  void await_word() {
    if (words_.empty() || awaits_word_) {
      refuse("a level on both sides of each x", text_);
    }
    awaits_word_ = true;
  }

  void end_part() {
    if (awaits_word_) {
      refuse("a level on both sides of each x", text_);
    }
    if (words_.empty()) {
      refuse("a machine as in '8n x 2s x 12c' or 'node:2 core:4'", text_);
    }
    parts_.push_back(words_);
    words_.clear();
  }

  std::string_view text_;
  std::size_t position_ = 0;
  bool awaits_word_ = false;
  std::vector<Word> words_;
  std::vector<std::vector<Word>> parts_;
};

}  // namespace

std::vector<std::vector<Word>> words_of(std::string_view text) {
  return WordReader(text).read();
}

}  // namespace espalier::machine
