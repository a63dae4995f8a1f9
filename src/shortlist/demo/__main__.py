"""`python -m shortlist.demo [folder]`"""

import sys

from shortlist.demo import main
from shortlist.errors import ShortlistError

try:
    main(*sys.argv[1:2])
except ShortlistError as error:
    sys.exit(f"demo: {error}")
