package io.rowlock.sample;

import io.rowlock.sample.node.NodeState;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.client.RestTestClient;

/** What checks need of a sample that runs. */
interface Sample {

    RestTestClient http();

    /** The answer to a POST, which has to be 200. */
    <T> T post(String uri, Class<T> type);

    /** The sentence in the answer to a POST that has to be refused. */
    String refusal(String uri, HttpStatus status);

    /** A number in the database. */
    long number(String sql, Object... params);

    NodeState state(String node);
}
