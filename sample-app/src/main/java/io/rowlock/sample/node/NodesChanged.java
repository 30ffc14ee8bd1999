package io.rowlock.sample.node;

/**
 * An event in the page's process: a node is in another state.
 *
 * @param node which, and how it is now
 * @param at when, in microseconds since 1970
 */
public record NodesChanged(NodeView node, long at) {}
