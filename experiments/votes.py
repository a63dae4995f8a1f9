"""What the paper's labelers say about the real rows.

    python -m experiments.votes --data-home ../shared/data

prints, for every split of SciCite, TREC and AG-News, how many rows are covered and how often each labeler gave each
of its shortlists. Without --data-home, the environment variable SHORTLIST_DATA says where the data sets are.
"""

import argparse

from experiments import agnews, datasets, scicite, trec
from shortlist import apply

MODULES = {"scicite": scicite, "trec": trec, "agnews": agnews}
SPLITS = {"scicite": ("train", "dev", "test"), "trec": ("train", "dev", "test"), "agnews": ("dev", "test")}


def text_votes(name, split="test", data_home=None):
    """The votes of the paper's labelers on one split of "scicite", "trec" or "agnews"."""
    module = MODULES[name]
    return apply(module.labelers, datasets.load(name, data_home)[split].rows, space=module.SPACE)


def table(title, votes):
    """Coverage and the votes of each labeler, as a rich table."""
    from rich.table import Table

    made = Table(title=f"{title}: {len(votes):,} rows, {votes.covered.mean():.1%} covered", title_justify="left")
    for header, justify in (("labeler", "left"), ("votes", "right"), ("coverage", "right"), ("what it said", "left")):
        made.add_column(header, justify=justify)
    for name, codomain, counts in zip(votes.names, votes.codomains, votes.counts(), strict=True):
        said = (f"{votes.space.show(s)} {n:,}" for s, n in zip(codomain.shortlists, counts[1:], strict=True) if n)
        voted = int(counts[1:].sum())
        made.add_row(name, f"{voted:,}", f"{voted / max(len(votes), 1):.1%}", "   ".join(said))
    return made


def main():
    from rich.console import Console

    parser = argparse.ArgumentParser(description="What the paper's labelers say about the real rows.")
    parser.add_argument("--data-home", help="the folder of the data sets (default: $SHORTLIST_DATA)")
    data_home = parser.parse_args().data_home
    console = Console()
    for name, splits in SPLITS.items():
        for split in splits:
            console.print(table(f"{name} {split}", text_votes(name, split, data_home)))


if __name__ == "__main__":
    main()
