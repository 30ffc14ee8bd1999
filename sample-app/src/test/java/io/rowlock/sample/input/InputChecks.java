package io.rowlock.sample.input;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.sample.Sample;
import io.rowlock.sample.node.NodeState;
import io.rowlock.sample.node.NodeView;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;

/** What bad input gets: one sentence, and nothing is run. */
public interface InputChecks extends Sample {
    /** What each scenario leaves. */
    String ALL_ROWS = """
            SELECT (SELECT COUNT(*) FROM sample_item) + (SELECT COUNT(*) FROM sample_debt)
                 + (SELECT COUNT(*) FROM sample_batch) + (SELECT COUNT(*) FROM sample_account) + (SELECT COUNT(*) FROM rowlock_lock WHERE lock_key LIKE 'race:%')
            """;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /sale?buyers=0                 | buyers must be 1 to 1000, but is 0.
            /sale?buyers=1000000           | buyers must be 1 to 1000, but is 1000000.
            /sale?stock=-1                 | stock must be 1 to 1000, but is -1.
            /sale?stock=1001               | stock must be 1 to 1000, but is 1001.
            /sale?buyers=many              | buyers must be a whole number, but is "many".
            /sale?stock=99999999999        | stock must be a whole number, but is "99999999999".
            /sale?lock=maybe               | lock must be true or false, but is "maybe".
            /sale?nodes=0                  | nodes must be 1 to 3, but is 0.
            /sale?nodes=4                  | nodes must be 1 to 3, but is 4.
            /sale?nodes=all                | nodes must be a whole number, but is "all".
            /loan?transfers=0              | transfers must be 1 to 1000, but is 0.
            /loan?transfers=1001           | transfers must be 1 to 1000, but is 1001.
            /loan?repayments=-1            | repayments must be 1 to 100, but is -1.
            /loan?repayments=101           | repayments must be 1 to 100, but is 101.
            /loan?transfers=many           | transfers must be a whole number, but is "many".
            /loan?repayments=99999999999   | repayments must be a whole number, but is "99999999999".
            /loan?nodes=-1                 | nodes must be 1 to 3, but is -1.
            /loan?lock=maybe               | lock must be true or false, but is "maybe".
            /sale?strategy=row-lock        | There is no strategy "row-lock"; known: lease, transaction.
            /report?reports=0              | reports must be 1 to 200, but is 0.
            /report?reports=201            | reports must be 1 to 200, but is 201.
            /report?permits=0              | permits must be 1 to 100, but is 0.
            /report?permits=101            | permits must be 1 to 100, but is 101.
            /report?permits=five           | permits must be a whole number, but is "five".
            /report?nodes=4                | nodes must be 1 to 3, but is 4.
            /report?permit=5               | There is no parameter "permit"; known: reports, permits, nodes, lock.
            /race?millis=0                 | millis must be 1 to 10000, but is 0.
            /race?millis=10001             | millis must be 1 to 10000, but is 10001.
            /race?millis=soon              | millis must be a whole number, but is "soon".
            /pause?lock=perhaps            | lock must be true or false, but is "perhaps".
            /sale?stok=5                   | There is no parameter "stok"; known: buyers, stock, nodes, lock, strategy.
            /loan?Lock=false               | There is no parameter "Lock"; known: transfers, repayments, nodes, lock.
            /race?mills=10                 | There is no parameter "mills"; known: millis.
            /pause?locked=true             | There is no parameter "locked"; known: lock, strategy.
            /pause?strategy=row-lock       | There is no strategy "row-lock"; known: lease.
            /pause?strategy=redis          | There is no strategy "redis"; known: lease.
            /nightly?night=1               | There is no parameter "night"; known: none.
            /nodes/node-1/kill?softly=true | There is no parameter "softly"; known: none.
            /nodes/node-9/kill             | There is no node "node-9"; known: node-1, node-2, node-3.
            /nodes/node-1/tease            | There is no action "tease"; known: kill, pause, resume, start, stop.
            """)
    default void refusesBadInputInOneSentenceAndRunsNothing(String uri, String sentence) {
        long before = number(ALL_ROWS);
        List<NodeView> nodes = views();
        assertThat(refusal(uri, HttpStatus.BAD_REQUEST)).isEqualTo(sentence);
        assertThat(number(ALL_ROWS)).isEqualTo(before);
        assertThat(views()).isEqualTo(nodes).allMatch(node -> node.state() == NodeState.UP);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /source/magic | There is no topic "magic"; known: leader, loan, loan-without, nightly, partitions, pause, pause-redis, pause-without, race, report, report-without, sale, sale-transaction, sale-without.
            """)
    default void refusesToShowWhatThereIsNot(String uri, String sentence) {
        ProblemDetail problem = http().get()
                .uri(uri)
                .exchange()
                .expectStatus()
                .isBadRequest()
                .expectBody(ProblemDetail.class)
                .returnResult()
                .getResponseBody();
        assertThat(problem.getDetail()).isEqualTo(sentence);
    }
}
