package io.rowlock.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.web.servlet.client.RestTestClient;

/** What the flash sale shows, on any server. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
abstract class FlashSaleContract {

    @LocalServerPort
    int port;

    @Autowired
    LockClient locks;

    @Autowired
    JdbcClient database;

    RestTestClient http;

    @BeforeEach
    void connect() {
        http = RestTestClient.bindToServer().baseUrl("http://localhost:" + port).build();
    }

    @Test
    void neverOversellsWithTheLock() {
        for (int run = 0; run < 20; run++) {
            SaleResult sale = sell("buyers=16&stock=6&lock=true");
            assertThat(sale.sold()).isEqualTo(6);
            assertThat(sale.oversold()).isZero();
            assertThat(sale.left()).isZero();
            assertThat(sale.consistent()).isTrue();
            assertThat(sale.soldOut()).isEqualTo(10);
            assertThat(sale.gaveUp() + sale.failed()).isZero();
        }
    }

    @Test
    void oversellsWithoutTheLock() {
        List<SaleResult> sales = IntStream.range(0, 5)
                .mapToObj(run -> sell("buyers=40&stock=10&lock=false"))
                .toList();
        assertThat(sales).anySatisfy(sale -> {
            assertThat(sale.sold()).isGreaterThan(10);
            assertThat(sale.oversold()).isEqualTo(sale.sold() - 10);
            assertThat(sale.consistent()).isFalse();
        });
        assertThat(sales).allMatch(sale -> sale.failed() == 0);
    }

    @Test
    void sellsOnBothNodes() {
        SaleResult sale = sell("buyers=10&stock=15&lock=true");
        assertThat(sale.soldBy()).containsEntry("node-1", 5).containsEntry("node-2", 5);
        assertThat(sale.left()).isEqualTo(5);
        assertThat(sale.duration()).isPositive();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    buyers=0                 | buyers must be 1 to 1000, but is 0.
                    buyers=1000000           | buyers must be 1 to 1000, but is 1000000.
                    stock=-1                 | stock must be 1 to 1000, but is -1.
                    stock=1001               | stock must be 1 to 1000, but is 1001.
                    buyers=many              | buyers must be a whole number, but is "many".
                    stock=99999999999        | stock must be a whole number, but is "99999999999".
                    lock=maybe               | lock must be true or false, but is "maybe".
                    """)
    void refusesBadInputInOneSentenceAndRunsNothing(String query, String sentence) {
        long before = items();
        ProblemDetail problem = http.post()
                .uri("/sale?" + query)
                .exchange()
                .expectStatus()
                .isBadRequest()
                .expectBody(ProblemDetail.class)
                .returnResult()
                .getResponseBody();
        assertThat(problem.getDetail()).isEqualTo(sentence);
        assertThat(items()).isEqualTo(before);
    }

    @Test
    void listsTheLocksThatAreHeld() {
        try (HeldLock lock = locks.acquire(LockRequest.exclusive("item:ü"))) {
            http.get()
                    .uri("/locks")
                    .exchange()
                    .expectStatus()
                    .isOk()
                    .expectBody()
                    .jsonPath("$.length()")
                    .isEqualTo(1)
                    .jsonPath("$[0].key")
                    .isEqualTo("item:ü")
                    .jsonPath("$[0].mode")
                    .isEqualTo("EXCLUSIVE")
                    .jsonPath("$[0].token")
                    .isEqualTo(lock.fencingToken())
                    .jsonPath("$[0].owner")
                    .value(String.class, owner -> assertThat(owner).startsWith("node-1#"));
        }
        http.get().uri("/locks").exchange().expectBody(CurrentLock[].class).isEqualTo(new CurrentLock[0]);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/style.css", "/sale.js", "/scenario.js", "/locks.js", "/table.js"})
    void servesThePage(String path) {
        http.get()
                .uri(path)
                .accept(MediaType.ALL)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .value(text -> assertThat(text).isNotBlank());
    }

    private SaleResult sell(String query) {
        return http.post()
                .uri("/sale?" + query)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(SaleResult.class)
                .returnResult()
                .getResponseBody();
    }

    private long items() {
        return database.sql("SELECT COUNT(*) FROM sample_item")
                .query(Long.class)
                .single();
    }
}
