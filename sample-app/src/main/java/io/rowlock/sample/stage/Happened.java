package io.rowlock.sample.stage;

import tools.jackson.databind.JsonNode;

/**
 * An event in the page's process: something happened on a node.
 *
 * @param node the name of that node
 * @param topic the kind of event
 * @param data the event
 */
public record Happened(String node, String topic, JsonNode data) {}
