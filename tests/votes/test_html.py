"""What notebooks show of Votes."""

from shortlist import Votes


def test_votes_are_a_table_and_names_are_text():
    votes = Votes([[1, 0], [1, 1]], [["a<b>"], ["b"]], ["a<b>", "b"], names=["<script>", "two"])
    page = votes._repr_html_()
    assert "2 rows × 2 labelers" in page
    assert "<table" in page
    assert "<script>" not in page
    assert "a&lt;b&gt;" in page
    assert "two" in page
