package io.rowlock.sample;

import static java.time.Duration.ofMinutes;
import static org.awaitility.Awaitility.await;

import io.rowlock.sample.stage.Happened;
import io.rowlock.sample.stage.NodeView;
import io.rowlock.sample.stage.Nodes;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.web.servlet.client.RestTestClient;

/** The sample as it runs, with its nodes. Each test finds all of them up. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
abstract class RunningSample implements Sample {

    @LocalServerPort
    int port;

    @Autowired
    JdbcClient database;

    @Autowired
    Nodes nodes;

    @Autowired
    ConfigurableApplicationContext context;

    private RestTestClient http;

    @BeforeEach
    void waitForAllNodes() {
        http = RestTestClient.bindToServer().baseUrl("http://localhost:" + port).build();
        await().atMost(ofMinutes(4)).until(this::allAreUp);
    }

    private boolean allAreUp() {
        for (NodeView node : nodes.views()) {
            if (node.state() == NodeView.State.DOWN) {
                nodes.named(node.name()).start();
            } else if (node.state() == NodeView.State.PAUSED) {
                nodes.named(node.name()).resume();
            }
        }
        return nodes.views().stream().allMatch(node -> node.state() == NodeView.State.UP);
    }

    @Override
    public RestTestClient http() {
        return http;
    }

    @Override
    public <T> T post(String uri, Class<T> type) {
        return http.post()
                .uri(uri)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(type)
                .returnResult()
                .getResponseBody();
    }

    @Override
    public String refusal(String uri, HttpStatus status) {
        return http.post()
                .uri(uri)
                .exchange()
                .expectStatus()
                .isEqualTo(status)
                .expectBody(ProblemDetail.class)
                .returnResult()
                .getResponseBody()
                .getDetail();
    }

    @Override
    public long number(String sql, Object... params) {
        return database.sql(sql).params(params).query(Long.class).single();
    }

    @Override
    public void change(String sql, Object... params) {
        database.sql(sql).params(params).update();
    }

    @Override
    public List<NodeView> views() {
        return nodes.views();
    }

    @Override
    public CompletableFuture<Void> next(String topic, String node) {
        CompletableFuture<Void> heard = new CompletableFuture<>();
        ApplicationListener<ApplicationEvent> listener = event -> {
            if (event instanceof PayloadApplicationEvent<?> told
                    && told.getPayload() instanceof Happened happened
                    && happened.topic().equals(topic)
                    && happened.node().equals(node)) {
                heard.complete(null);
            }
        };
        context.addApplicationListener(listener);
        return heard.whenComplete((done, failure) -> context.removeApplicationListener(listener));
    }

    @Override
    public NodeView.State state(String node) {
        return nodes.named(node).view().state();
    }
}
