"""`python -m shortlist.cli`"""

from shortlist.cli import main

main()
