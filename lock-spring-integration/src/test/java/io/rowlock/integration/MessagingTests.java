package io.rowlock.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.LockClient;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.TestSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ClassPathResource;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.core.MessagingTemplate;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.handler.advice.LockRequestHandlerAdvice;
import org.springframework.integration.jdbc.metadata.JdbcMetadataStore;
import org.springframework.integration.jdbc.store.JdbcMessageStore;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.MessageBuilder;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.PollableChannel;

/** Uses of a registry by Spring Integration, on two nodes. */
@OnServer
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MessagingTests {
    private static final int ROUNDS = 25;

    private TestSchema schema;
    private Node node;
    private Node rival;

    @BeforeAll
    void start(TestSchema given) {
        schema = given;
        new ResourceDatabasePopulator(new ClassPathResource("org/springframework/integration/jdbc/schema-mysql.sql"))
                .execute(schema.dataSource());
        node = startNode();
        rival = startNode();
    }

    private Node startNode() {
        return Node.start(
                schema,
                Map.of("rowlock.redis.enabled", false, "rowlock.renewal.interval", "1s"),
                key -> new JdbcTemplate(schema.dataSource())
                        .update("UPDATE rowlock_lock SET expires_at = '2000-01-01' WHERE lock_key = ?", key),
                Flows.class);
    }

    @AfterAll
    void stop() {
        Stream.of(rival, node).filter(started -> started != null).forEach(Node::close);
    }

    @Test
    void oneOfTwoCandidatesLeadsUntilItStops() {
        LockRegistryLeaderInitiator first = candidate(node, "mail");
        await().until(() -> leads(first));
        LockRegistryLeaderInitiator second = candidate(rival, "mail");
        await().during(Duration.ofMillis(300)).until(() -> leads(first) && !leads(second));

        first.stop();
        await().until(() -> leads(second) && !leads(first));
        second.stop();
    }

    @Test
    void candidateThatLostTheLockIsRevoked() {
        LockRegistryLeaderInitiator first = candidate(node, "billing");
        await().until(() -> leads(first));
        LockRegistryLeaderInitiator second = candidate(rival, "billing");

        node.expire("integration:billing");
        await().until(() -> leads(second) && !leads(first));
        first.stop();
        second.stop();
    }

    @Test
    void groupThatTwoNodesFillIsReleasedOnce() {
        List<CompletableFuture<Void>> senders = new ArrayList<>();
        for (Node each : List.of(node, rival)) {
            senders.add(CompletableFuture.runAsync(() -> {
                for (int group = 0; group < ROUNDS; group++) {
                    send(each, group);
                }
            }));
        }
        senders.forEach(CompletableFuture::join);

        List<Object> released = new ArrayList<>();
        for (Node each : List.of(node, rival)) {
            PollableChannel out = each.context().getBean("groups", PollableChannel.class);
            Stream.generate(() -> out.receive(0))
                    .takeWhile(message -> message != null)
                    .map(Message::getPayload)
                    .forEach(released::add);
        }
        assertThat(released).hasSize(ROUNDS).doesNotHaveDuplicates();
    }

    private static void send(Node node, int group) {
        new MessagingTemplate()
                .send(
                        node.context().getBean("parts", MessageChannel.class),
                        MessageBuilder.withPayload("part of " + group)
                                .setCorrelationId("group-" + group)
                                .setSequenceSize(2)
                                .build());
    }

    @Test
    void metadataOfTwoNodesLoseNoUpdateUnderTheLock() {
        inBothNodes(each -> {
            JdbcMetadataStore store = each.context().getBean(JdbcMetadataStore.class);
            each.registry().executeLocked("offset", () -> {
                String offset = store.get("offset");
                store.put("offset", String.valueOf(offset == null ? 1 : Integer.parseInt(offset) + 1));
            });
        });
        assertThat(node.context().getBean(JdbcMetadataStore.class).get("offset"))
                .isEqualTo(String.valueOf(2 * ROUNDS));
    }

    @Test
    void adviceLocksTheHandlerOnBothNodes() {
        JdbcTemplate jdbc = new JdbcTemplate(schema.dataSource());
        jdbc.execute("CREATE TABLE handled (id INT PRIMARY KEY, times INT NOT NULL)");
        jdbc.update("INSERT INTO handled VALUES (1, 0)");
        inBothNodes(each -> new MessagingTemplate()
                .convertAndSend(each.context().getBean("handled", MessageChannel.class), "message"));

        assertThat(jdbc.queryForObject("SELECT times FROM handled", Integer.class))
                .isEqualTo(2 * ROUNDS);
    }

    private interface Work {
        void on(Node node) throws Exception;
    }

    private void inBothNodes(Work work) {
        Stream.of(node, rival)
                .map(each -> CompletableFuture.runAsync(() -> {
                    for (int i = 0; i < ROUNDS; i++) {
                        try {
                            work.on(each);
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    }
                }))
                .toList()
                .forEach(CompletableFuture::join);
    }

    private static LockRegistryLeaderInitiator candidate(Node node, String role) {
        LockRegistryLeaderInitiator initiator =
                new LockRegistryLeaderInitiator(node.registry(), new DefaultCandidate("id", role));
        initiator.setHeartBeatMillis(50);
        initiator.setBusyWaitMillis(10);
        initiator.setApplicationEventPublisher(event -> {});
        initiator.start();
        return initiator;
    }

    private static boolean leads(LockRegistryLeaderInitiator initiator) {
        return initiator.getContext().isLeader();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableIntegration
    static class Flows {
        @Bean
        RowlockLockRegistry registry(LockClient locks) {
            return new RowlockLockRegistry(locks);
        }

        @Bean
        JdbcMessageStore messageStore(DataSource dataSource) {
            return new JdbcMessageStore(dataSource);
        }

        @Bean
        JdbcMetadataStore offsets(DataSource dataSource) {
            return new JdbcMetadataStore(dataSource);
        }

        @Bean
        IntegrationFlow groupsFlow(JdbcMessageStore messageStore, RowlockLockRegistry registry) {
            return IntegrationFlow.from("parts")
                    .aggregate(group -> group.messageStore(messageStore)
                            .lockRegistry(registry)
                            .expireGroupsUponCompletion(true))
                    .channel(channels -> channels.queue("groups"))
                    .get();
        }

        @Bean
        IntegrationFlow handledFlow(DataSource dataSource, RowlockLockRegistry registry) {
            JdbcTemplate jdbc = new JdbcTemplate(dataSource);
            return IntegrationFlow.from("handled")
                    .handle(
                            message -> {
                                int times = jdbc.queryForObject("SELECT times FROM handled", Integer.class);
                                jdbc.update("UPDATE handled SET times = ?", times + 1);
                            },
                            endpoint -> endpoint.advice(new LockRequestHandlerAdvice(registry, "handled")))
                    .get();
        }
    }
}
