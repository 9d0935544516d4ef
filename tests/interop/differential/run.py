"""State that the tests of one run share."""

from ..support.full import FULL
from .comparison import Results

#: The number of right values that are made for each scheme.
COUNT = 250 if FULL else 25
#: The engine that is compared.
ENGINE = None
RESULTS = Results()
