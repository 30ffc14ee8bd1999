package io.rowlock.sample.node;

import tools.jackson.databind.JsonNode;

/**
 * An event in the page's process: something happened on a node.
 *
 * @param node where
 * @param topic what it is about
 * @param data what happened
 */
public record Happened(String node, String topic, JsonNode data) {}
