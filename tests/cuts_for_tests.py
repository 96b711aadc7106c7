"""Every way to cut a small grid into rooms, by networkx alone: the third opinion on the counts."""

import networkx as nx


def lattice(rows, cols, king=False):
    if king:
        return nx.strong_product(nx.path_graph(rows), nx.path_graph(cols))
    return nx.grid_2d_graph(rows, cols)


def grown_partitions(graph, left=None):
    """Every way to cut the cells into connected blocks: the block of the first cell, then the rest."""
    left = frozenset(graph) if left is None else left
    if not left:
        yield []
        return
    first = min(left)
    others = sorted(left - {first})
    for bits in range(1 << len(others)):
        block = {first} | {cell for at, cell in enumerate(others) if bits >> at & 1}
        if nx.is_connected(graph.subgraph(block)):
            for rest in grown_partitions(graph, left - block):
                yield [block, *rest]
