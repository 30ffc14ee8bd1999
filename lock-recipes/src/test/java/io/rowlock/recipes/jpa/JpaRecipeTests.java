package io.rowlock.recipes.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.recipes.Application;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import io.rowlock.test.database.TestSchema;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.jdbc.core.JdbcTemplate;

@Entity
class Item {
    @Id
    long id;

    int stock;
}

interface Items extends JpaRepository<Item, Long> {}

/** Requests whose open view has the entity before the lock is acquired, as by Spring Boot's default. */
@OnServer(ServerFlavor.MYSQL)
class JpaRecipeTests {
    @Test
    void everySaleOverHttpIsCounted(DatabaseServer server) {
        try (TestSchema schema = server.createSchema()) {
            JdbcTemplate jdbc = new JdbcTemplate(schema.dataSource());
            jdbc.execute("CREATE TABLE item (id BIGINT PRIMARY KEY, stock INT NOT NULL)");
            jdbc.execute("INSERT INTO item VALUES (1, 100)");
            try (ConfigurableApplicationContext node = new Application(schema, Shop.class, Stock.class)
                    .withWeb()
                    .using("org.springframework.boot.hibernate.", "org.springframework.boot.data.jpa.")
                    .with("rowlock.locks.item.wait-time", "1m") // however slow the machine is
                    .with("spring.jpa.properties.hibernate.dialect", "org.hibernate.dialect.MySQLDialect")
                    .start()) {
                HttpClient client = HttpClient.newHttpClient();
                HttpRequest sale = HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                                + node.getEnvironment().getProperty("local.server.port") + "/items/1/sales"))
                        .POST(BodyPublishers.noBody())
                        .build();
                List<CompletableFuture<HttpResponse<String>>> sales = IntStream.range(0, 40)
                        .mapToObj(i ->
                                client.sendAsync(sale, BodyHandlers.ofString()).orTimeout(2, TimeUnit.MINUTES))
                        .toList();
                assertThat(sales)
                        .allSatisfy(answer -> assertThat(answer.join().body()).isEqualTo("sold"));
            }
            assertThat(jdbc.queryForObject("SELECT stock FROM item", Integer.class))
                    .isEqualTo(60);
        }
    }
}
