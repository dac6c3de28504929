"""Random generalisation hierarchies, as lines of labels."""

from hypothesis import strategies as st

TEXTS = st.text("abcXY 19-_\"';,é", min_size=1, max_size=6).filter(
    lambda text: text == " ".join(text.split())
)


@st.composite
def hierarchy_lines(draw, texts=TEXTS, *, max_leaves=8, max_height=4):
    """Lines whose labels are all different but those of one node."""
    leaves = draw(st.lists(texts, min_size=1, max_size=max_leaves, unique=True))
    lines = [[leaf] for leaf in leaves]
    node = list(range(len(leaves)))
    for level in range(1, draw(st.integers(1, max_height))):
        group = draw(
            st.lists(
                st.integers(0, max(node)),
                min_size=max(node) + 1,
                max_size=max(node) + 1,
            )
        )
        above = [group[of] for of in node]
        renamed = {of: position for position, of in enumerate(dict.fromkeys(above))}
        above = [renamed[of] for of in above]
        for i, line in enumerate(lines):
            alone = {node[j] for j in range(len(node)) if above[j] == above[i]}
            line.append(line[-1] if len(alone) == 1 else f"{level}:{above[i]}")
        node = above
    return [(*line, "*") for line in lines]
