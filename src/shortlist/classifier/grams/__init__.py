"""n-grams of words and of characters: what texts hold, counted."""

from shortlist.classifier.grams.character_grams import CharacterGrams
from shortlist.classifier.grams.word_grams import WordGrams
from shortlist.classifier.grams.word_list import WordList, list_words

__all__ = ["CharacterGrams", "WordGrams", "WordList", "list_words"]
