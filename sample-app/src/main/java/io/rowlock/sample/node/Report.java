package io.rowlock.sample.node;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A line from a node.
 *
 * @param order the order it answers, or 0 if it answers none
 * @param topic what it is about, or null for an answer
 * @param data the answer, or what happened
 * @param error why there is no answer
 */
record Report(
        long order,
        @Nullable String topic,
        @Nullable JsonNode data,
        @Nullable String error) {

    static final String READY = "ready";

    static Report answer(long order, JsonNode data) {
        return new Report(order, null, data, null);
    }

    static Report failure(long order, String error) {
        return new Report(order, null, null, error);
    }

    static Report happened(String topic, JsonNode data) {
        return new Report(0, topic, data, null);
    }
}
