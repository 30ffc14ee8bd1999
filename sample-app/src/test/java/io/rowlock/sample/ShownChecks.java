package io.rowlock.sample;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.sample.sale.SaleResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.MediaType;

/** What the page is made of, and what is sent to it. */
interface ShownChecks extends Sample {

    @ParameterizedTest
    @ValueSource(strings = {"/", "/style.css", "/js/page.js", "/js/timeline.js", "/js/history.js", "/js/live.js"})
    default void servesThePage(String path) {
        assertThat(text(path)).isNotBlank();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            sale          | @DistributedLock(name = \\"item\\"
            sale-transaction | name = \\"item-in-transaction\\"
            sale-without  | public boolean buyWithoutLock
            loan          | @WriteLock(name = \\"debt\\"
            loan-without  | public Span repayWithoutLock
            report        | @DistributedSemaphore(name = \\"report\\"
            report        | LockRequest.permit(
            report-without | public long renderWithoutPermit
            leader        | @LeaderOnly(\\"dispatcher\\")
            nightly       | holdAtLeast = \\"2s\\"
            partitions    | locks.tryAcquireAny(all)
            race          | locks.acquire(request)
            pause         | @DistributedLock(name = \\"account\\"
            pause-redis   | strategy = \\"redis\\"
            pause-without | public long withdrawWithoutLock
            """)
    default void showsTheLinesThatDoIt(String topic, String line) {
        assertThat(text("/source/" + topic)).contains(line);
    }

    @Test
    default void showsTheLeaderAmongTheLocksThatAreHeld() {
        await().atMost(ofSeconds(90))
                .untilAsserted(() -> assertThat(text("/locks"))
                        .contains("\"key\":\"leader:dispatcher\"", "\"mode\":\"EXCLUSIVE\"", "\"owner\":\"node-"));
    }

    @Test
    default void showsTheLog() {
        SaleResult sale = post("/sale?buyers=1&stock=1&nodes=1", SaleResult.class);
        await().atMost(ofSeconds(90))
                .untilAsserted(
                        () -> assertThat(text("/log")).contains("\"item:%d\"".formatted(sale.itemId()), "RELEASED"));
    }

    private String text(String path) {
        return http().get()
                .uri(path)
                .accept(MediaType.ALL)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .returnResult()
                .getResponseBody();
    }
}
