package io.rowlock.sample;

import io.rowlock.sample.stage.NodeView;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.client.RestTestClient;

/** What checks need of a sample that runs. */
public interface Sample {

    RestTestClient http();

    /** The answer to a POST, which has to be 200. */
    <T> T post(String uri, Class<T> type);

    /** The sentence in the answer to a POST that has to be refused. */
    String refusal(String uri, HttpStatus status);

    /** A number in the database. */
    long number(String sql, Object... params);

    /** Changes rows behind the sample's back. */
    void change(String sql, Object... params);

    NodeView.State state(String node);

    /** All nodes, as they are. */
    List<NodeView> views();

    /** Ends, in the thread that hears it, when a node tells of a topic. */
    CompletableFuture<Void> next(String topic, String node);
}
