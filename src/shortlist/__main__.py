"""`python -m shortlist`: the command line, where the `shortlist` script is not on the path."""

from shortlist.cli import main

if __name__ == "__main__":
    main()
