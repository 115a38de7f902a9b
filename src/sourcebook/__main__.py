"""`python -m sourcebook` is the same as `sourcebook`."""

import sys

from sourcebook.faces.cli import main

if __name__ == "__main__":
    sys.exit(main())
