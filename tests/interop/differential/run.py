"""What the tests of one run share."""

from ..support.full import FULL
from .comparison import Results

#: How many right values are made for each scheme.
COUNT = 250 if FULL else 25
#: The engine that is compared.
ENGINE = None
RESULTS = Results()
