"""A real model, in this process and over HTTP."""

import math
import pickle

import numpy as np
import pytest

from shortlist.errors import BadFile, BadLabeler
from shortlist.models import HTTP, LlamaCpp

CHOICES = (" person", " place", " number")
PROMPTS = ["Who wrote Hamlet?\nThe answer is the name of a", "Where is Paris?\nThe answer is the name of a"]


def test_it_can_be_asked_for_first_tokens(llama):
    scores = llama.scores(PROMPTS, CHOICES)
    assert scores.shape == (2, 3)
    assert (scores <= 0).all()
    assert scores.argmax(axis=1).tolist() == [0, 1]  # this much it knows


def test_the_server_says_the_same_as_the_model_in_this_process(llama, llama_url):
    """Two ways to the same numbers; llama.cpp's sums differ in the last digits with what it computed before."""
    server = HTTP(llama_url, "any", at_once=2)
    np.testing.assert_allclose(server.scores(PROMPTS, CHOICES), llama.scores(PROMPTS, CHOICES), atol=0.05)


def test_scores_are_log_probabilities_of_the_model(llama):
    """Against what llama.cpp itself says of the next token."""
    told, _ = llama.send("completions", {"prompt": PROMPTS[0], "max_tokens": 1, "n_probs": 100, "temperature": 0})
    first = {one["token"]: one["logprob"] for one in told["choices"][0]["logprobs"]["content"][0]["top_logprobs"]}
    forms = [value for token, value in first.items() if token.strip().lower() == "person"]
    assert llama.scores(PROMPTS[:1], CHOICES)[0, 0] >= math.log(sum(map(math.exp, forms))) - 0.05


def test_choices_that_begin_alike_are_asked_for_in_words(llama):
    ((_, found),) = next(llama.answers([PROMPTS[0]], (" personification", " personifications")))
    assert found.how == "free text"
    assert sorted(found.scores) == [-np.inf, 0.0] or found.why == "outside"


def test_a_prompt_that_is_too_long_has_no_answer(llama, llama_url):
    for model in (llama, HTTP(llama_url, "any")):
        ((_, found),) = next(model.answers(["word " * 2000], CHOICES))
        assert found.why == "too long"


def test_it_writes(llama):
    assert llama.write("Say hello.", max_tokens=8).strip()


def test_its_id_is_its_file(llama, tmp_path):
    again = pickle.loads(pickle.dumps(llama))
    assert again.id == llama.id == LlamaCpp(llama.file).id
    other = tmp_path / llama.file.name
    other.write_bytes(llama.file.read_bytes()[:5_000_000])
    assert LlamaCpp(other).id != llama.id


def test_files_that_are_none(tmp_path):
    with pytest.raises(BadFile, match="does not exist"):
        LlamaCpp(tmp_path / "none.gguf")
    with pytest.raises(BadLabeler, match="not installed"):
        LlamaCpp(package="no_such_package_here")
    with pytest.raises(BadLabeler, match="0 GGUF files"):
        LlamaCpp(package="numpy")
    with pytest.raises(BadLabeler, match="one of them"):
        LlamaCpp()
