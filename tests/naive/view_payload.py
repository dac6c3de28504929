"""The bytes of a page's grid, read a byte at a time."""

import gzip
import json


def unpacked(data):
    """The JSON object, the columns of the cells, and the counts."""
    data = gzip.decompress(data)
    length = int.from_bytes(data[:4], "little")
    content = json.loads(data[4 : 4 + length])
    numbers = list(_numbers(data[4 + length :]))
    n = content["n_cells"]
    columns = []
    for start in range(0, len(numbers), n):
        column, last = [], 0
        for change in numbers[start : start + n]:
            last += change
            column.append(last)
        columns.append(column)
    return content, columns[:-1], columns[-1]


def _numbers(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield -(value + 1) // 2 if value % 2 else value // 2
            value = shift = 0
