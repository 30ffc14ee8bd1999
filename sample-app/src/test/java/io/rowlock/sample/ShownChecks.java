package io.rowlock.sample;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.sample.sale.SaleResult;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.MediaType;

/** What the page is made of, and what is sent to it. */
interface ShownChecks extends Sample {

    @ParameterizedTest
    @ValueSource(strings = {"/", "/style.css", "/js/page.js", "/js/timeline.js", "/js/history.js", "/js/live.js"})
    default void servesThePage(String path) {
        assertThat(text(path)).isNotBlank();
    }

    /** A method that was renamed could not be cut out of its source any more. */
    @Test
    default void showsTheLinesThatDoIt() {
        List<MatchResult> methods = Pattern.compile("\"(\\w+/\\w+)\\.(\\w+)\"")
                .matcher(text("/js/how.js"))
                .results()
                .toList();
        assertThat(methods)
                .hasSizeGreaterThan(20)
                .allSatisfy(method -> assertThat(text("/source/%s.java".formatted(method.group(1)))
                                .lines())
                        .filteredOn(line -> line.matches(" {4}\\S.* %s\\(.*\\{".formatted(method.group(2))))
                        .hasSize(1));
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
