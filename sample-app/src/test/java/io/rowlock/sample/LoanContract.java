package io.rowlock.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.web.servlet.client.RestTestClient;

/** What the loan shows, on any server. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
abstract class LoanContract {

    private static final long PRINCIPAL = 1_000_000_00;
    private static final long REPAYMENT = 4_999_99;

    @LocalServerPort
    int port;

    @Autowired
    JdbcClient database;

    RestTestClient http;

    @BeforeEach
    void connect() {
        http = RestTestClient.bindToServer().baseUrl("http://localhost:" + port).build();
    }

    @Test
    void losesNoMoneyWithTheLock() {
        for (int run = 0; run < 6; run++) {
            LoanResult loan = run("transfers=40&repayments=5&lock=true");
            assertThat(loan.gaveUp() + loan.failed()).isZero();
            assertThat(loan.transferred()).isEqualTo(40);
            assertThat(loan.repaid()).isEqualTo(5);
            assertThat(loan.overlaps()).isZero();
            assertThat(loan.principal()).isEqualTo(PRINCIPAL);
            assertThat(loan.paidOut()).isEqualTo(5 * REPAYMENT);
            assertThat(loan.outstanding()).isEqualTo(PRINCIPAL - 5 * REPAYMENT);
            assertThat(loan.claims()).isEqualTo(loan.outstanding());
            assertThat(loan.lost()).isZero();
            assertThat(loan.created()).isZero();
            assertThat(loan.conserved()).isTrue();
        }
    }

    @Test
    void transfersTogetherWithTheLock() {
        LoanResult loan = run("transfers=60&repayments=1&lock=true");
        assertThat(loan.transfersAtOnce()).isGreaterThan(1);
        assertThat(loan.overlaps()).isZero();
        assertThat(loan.conserved()).isTrue();
        assertThat(loan.duration()).isPositive();
    }

    @Test
    void paysTwiceForOneClaimWithoutTheLock() {
        List<LoanResult> loans = run(3, "transfers=1&repayments=10&lock=false");
        assertThat(loans).anySatisfy(loan -> {
            assertThat(loan.created()).isPositive();
            assertThat(loan.outstanding()).isGreaterThan(PRINCIPAL - loan.paidOut());
            assertThat(loan.conserved()).isFalse();
        });
        assertThat(loans).allMatch(loan -> loan.failed() == 0);
    }

    @Test
    void undoesTransfersWithoutTheLock() {
        List<LoanResult> loans = run(10, "transfers=40&repayments=1&lock=false");
        assertThat(loans).anySatisfy(loan -> {
            assertThat(loan.overlaps()).isPositive();
            assertThat(loan.transferred()).isEqualTo(40);
            assertThat(loan.lost()).isPositive().isEqualTo(loan.created());
            assertThat(loan.claims()).isEqualTo(loan.outstanding());
            assertThat(loan.conserved()).isFalse();
        });
        assertThat(loans).allMatch(loan -> loan.failed() == 0);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    transfers=0              | transfers must be 1 to 1000, but is 0.
                    transfers=1001           | transfers must be 1 to 1000, but is 1001.
                    repayments=-1            | repayments must be 1 to 100, but is -1.
                    repayments=101           | repayments must be 1 to 100, but is 101.
                    transfers=many           | transfers must be a whole number, but is "many".
                    repayments=99999999999   | repayments must be a whole number, but is "99999999999".
                    lock=maybe               | lock must be true or false, but is "maybe".
                    """)
    void refusesBadInputInOneSentenceAndRunsNothing(String query, String sentence) {
        long before = debts();
        ProblemDetail problem = http.post()
                .uri("/loan?" + query)
                .exchange()
                .expectStatus()
                .isBadRequest()
                .expectBody(ProblemDetail.class)
                .returnResult()
                .getResponseBody();
        assertThat(problem.getDetail()).isEqualTo(sentence);
        assertThat(debts()).isEqualTo(before);
    }

    @Test
    void hasASectionOfThePage() {
        assertThat(page("/")).contains("<form id=\"loan\">", "src=\"loan.js\"");
        assertThat(page("/loan.js")).contains("./scenario.js");
        assertThat(page("/scenario.js")).isNotBlank();
    }

    private String page(String path) {
        return http.get()
                .uri(path)
                .accept(MediaType.ALL)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .returnResult()
                .getResponseBody();
    }

    private List<LoanResult> run(int times, String query) {
        return IntStream.range(0, times).mapToObj(run -> run(query)).toList();
    }

    private LoanResult run(String query) {
        return http.post()
                .uri("/loan?" + query)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(LoanResult.class)
                .returnResult()
                .getResponseBody();
    }

    private long debts() {
        return database.sql("SELECT COUNT(*) FROM sample_debt")
                .query(Long.class)
                .single();
    }
}
