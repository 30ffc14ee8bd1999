package io.rowlock.sample.node;

import tools.jackson.databind.JsonNode;

/**
 * A line to a node.
 *
 * @param id the number the answer comes back with
 * @param task what to do
 * @param input what with
 */
record Order(long id, String task, JsonNode input) {}
