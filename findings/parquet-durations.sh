#!/usr/bin/env bash
# A column of durations in Parquet: its unit stands in a note of Arrow alone, and DuckDB reads bare integers.
#
# Expected: Parquet has logical types for dates, times and timestamps, so a column of `pandas.to_timedelta(t, unit="s")` or of
#   `polars.Duration` has one too, and every reader gives durations, or seconds.
# Seen: pyarrow 26.0.1 and polars 2.1.0 both write a plain INT64 without a logical type.  The unit (ns from pandas, ms as declared from
#   polars) stands only in the Arrow schema, base64 in the key-value metadata of the file.  pyarrow and polars read durations back; DuckDB
#   2.0.1 reads BIGINT, 250000000 for a quarter of a second from one file and 250 from the other, without a word.
# Cost: a table of motions whose times were "improved" to durations has times 10⁹ or 10³ times too large in every reader that
#   looks at Parquet alone, by a factor that depends on the program that wrote it.  Convert to seconds (`.dt.total_seconds()`) before.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet pandas==2.3.3 pyarrow==26.0.1 polars==2.1.0 duckdb==2.0.1
cd "$folder"
python/bin/python - <<'PYTHON'
import duckdb
import pandas
import polars
import pyarrow.parquet

times = [0.0, 0.25, 1.0]
pandas.DataFrame({"t": pandas.to_timedelta(times, unit="s")}).to_parquet("of-pandas.parquet")
polars.DataFrame({"t": polars.Series([0, 250, 1000], dtype=polars.Duration("ms"))}).write_parquet("of-polars.parquet")

for file, unit, quarter in [("of-pandas.parquet", "ns", 250_000_000), ("of-polars.parquet", "ms", 250)]:
    column = pyarrow.parquet.ParquetFile(file).schema.column(0)
    arrow = str(pyarrow.parquet.read_schema(file).field("t").type)
    kind, value = duckdb.sql(f"select typeof(t), t from '{file}' where t <> 0 order by t limit 1").fetchall()[0]
    by_polars = str(polars.read_parquet(file)["t"].dtype)
    print(f"{file}: Parquet {column.physical_type}, logical type {column.logical_type}; Arrow {arrow}; "
          f"polars {by_polars}; DuckDB {kind} {value}")
    assert column.physical_type == "INT64" and str(column.logical_type) == "None"
    assert arrow == f"duration[{unit}]" and by_polars.startswith("Duration")
    assert (kind, value) == ("BIGINT", quarter)
PYTHON
