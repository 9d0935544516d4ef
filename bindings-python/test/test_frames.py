"""pandas and polars by column."""

import pandas
import polars
import pytest

from textveil.frames import detect_frame, protect_frame

EMAIL = "jan.novak@example.cz"
ROWS = {
    "pesel": ["44051401359", None, "44051401359"],
    "note": [f"to {EMAIL}", "nothing", None],
    "count": [1, 2, 3],
}
EXPECTED = {
    "pesel": ["[REDACTED]", None, "[REDACTED]"],
    "note": ["to [REDACTED]", "nothing", None],
    "count": [1, 2, 3],
}
COUNTS = {"pesel": {"pesel": 2}, "note": {"email": 1}}


def test_polars():
    frame = polars.DataFrame(ROWS)
    protected = protect_frame(frame)
    assert protected.to_dict(as_series=False) == EXPECTED
    assert protected.schema == frame.schema
    assert detect_frame(frame) == COUNTS
    assert protect_frame(frame, columns=["note"])["pesel"].to_list() == ROWS["pesel"]
    categories = frame.with_columns(polars.col("note").cast(polars.Categorical))
    assert protect_frame(categories)["note"].to_list() == EXPECTED["note"]


def test_pandas():
    frame = pandas.DataFrame(ROWS, index=[7, 8, 9])
    protected = protect_frame(frame)
    assert protected.astype(object).where(protected.notna(), None).to_dict("list") == EXPECTED
    assert list(protected.index) == [7, 8, 9]
    assert protected.dtypes["count"] == frame.dtypes["count"]
    assert frame["note"][7] == ROWS["note"][0], "the given frame stays"
    assert detect_frame(frame) == COUNTS
    categories = frame.astype({"note": "category"})
    assert protect_frame(categories)["note"].tolist()[:2] == EXPECTED["note"][:2]


@pytest.mark.parametrize("library", [pandas, polars])
def test_a_name_of_no_column_is_an_error(library):
    with pytest.raises(KeyError, match="no column 'mail'"):
        protect_frame(library.DataFrame(ROWS), columns=["mail"])


@pytest.mark.parametrize("library", [pandas, polars])
def test_the_name_of_a_column_is_not_changed(library):
    frame = library.DataFrame({EMAIL: ["nothing", EMAIL]})
    protected = protect_frame(frame)
    assert list(protected.columns) == [EMAIL]
    assert list(protected[EMAIL]) == ["nothing", "[REDACTED]"]
