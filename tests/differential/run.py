"""What the tests of one run share."""

from comparison import Results

#: How many right values are made for each scheme.
COUNT = 25
#: The engine that is compared.
ENGINE = None
RESULTS = Results()
