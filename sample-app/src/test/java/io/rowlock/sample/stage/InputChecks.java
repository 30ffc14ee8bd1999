package io.rowlock.sample.stage;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.sample.Sample;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpStatus;

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
            /sale?buyers=many              | Failed to convert 'buyers' with value: 'many'
            /sale?stock=99999999999        | Failed to convert 'stock' with value: '99999999999'
            /sale?lock=maybe               | Failed to convert 'lock' with value: 'maybe'
            /sale?nodes=0                  | nodes must be 1 to 3, but is 0.
            /sale?nodes=4                  | nodes must be 1 to 3, but is 4.
            /sale?nodes=all                | Failed to convert 'nodes' with value: 'all'
            /loan?transfers=0              | transfers must be 1 to 1000, but is 0.
            /loan?transfers=1001           | transfers must be 1 to 1000, but is 1001.
            /loan?repayments=-1            | repayments must be 1 to 100, but is -1.
            /loan?repayments=101           | repayments must be 1 to 100, but is 101.
            /loan?transfers=many           | Failed to convert 'transfers' with value: 'many'
            /loan?repayments=99999999999   | Failed to convert 'repayments' with value: '99999999999'
            /loan?nodes=-1                 | nodes must be 1 to 3, but is -1.
            /loan?lock=maybe               | Failed to convert 'lock' with value: 'maybe'
            /sale?strategy=row-lock        | There is no strategy "row-lock"; known: lease, transaction.
            /report?reports=0              | reports must be 1 to 200, but is 0.
            /report?reports=201            | reports must be 1 to 200, but is 201.
            /report?permits=0              | permits must be 1 to 100, but is 0.
            /report?permits=101            | permits must be 1 to 100, but is 101.
            /report?permits=five           | Failed to convert 'permits' with value: 'five'
            /report?nodes=4                | nodes must be 1 to 3, but is 4.
            /race?millis=0                 | millis must be 1 to 10000, but is 0.
            /race?millis=10001             | millis must be 1 to 10000, but is 10001.
            /race?millis=soon              | Failed to convert 'millis' with value: 'soon'
            /pause?lock=perhaps            | Failed to convert 'lock' with value: 'perhaps'
            /pause?strategy=row-lock       | There is no strategy "row-lock"; known: lease.
            /pause?strategy=redis          | There is no strategy "redis"; known: lease.
            /nodes/node-9/kill             | There is no node "node-9"; known: node-1, node-2, node-3.
            /nodes/node-1/tease            | There is no action "tease"; known: kill, pause, resume, start, stop.
            """)
    default void refusesBadInputInOneSentenceAndRunsNothing(String uri, String sentence) {
        long before = number(ALL_ROWS);
        List<NodeView> nodes = views();
        assertThat(refusal(uri, HttpStatus.BAD_REQUEST)).isEqualTo(sentence);
        assertThat(number(ALL_ROWS)).isEqualTo(before);
        assertThat(views()).isEqualTo(nodes).allMatch(node -> node.state() == NodeView.State.UP);
    }
}
