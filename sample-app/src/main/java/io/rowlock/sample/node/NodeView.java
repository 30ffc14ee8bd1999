package io.rowlock.sample.node;

/**
 * A node to look at.
 *
 * @param name its name
 * @param state how it is
 * @param pid the number of its process; 0 if there is none
 */
public record NodeView(String name, NodeState state, long pid) {}
