"""Tables on a terminal and in a notebook."""

from shortlist.tables import html_list, html_table, percent, text_table


def test_words_to_the_left_and_figures_to_the_right():
    shown = text_table(["labeler", "votes"], [["a", "1,000"], ["longer", "7"], ["c", "–"]])
    assert shown.splitlines() == ["labeler  votes", "a        1,000", "longer       7", "c            –"]
    assert text_table(["a", "b"], []) == "a  b"


def test_in_a_notebook_everything_is_text():
    page = html_table(["<b>"], [["<script>"], ["12"]]) + html_list(["<i>"])
    assert "<script>" not in page
    assert "<i>" not in page
    assert "&lt;b&gt;" in page
    assert 'text-align:right">12' in page


def test_shares():
    assert [percent(0.1234), percent(1, 0), percent(None), percent(float("nan"))] == ["12.3%", "100%", "–", "–"]
