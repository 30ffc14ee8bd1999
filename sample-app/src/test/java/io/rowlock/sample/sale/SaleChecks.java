package io.rowlock.sample.sale;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.sample.Sample;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What the flash sale shows. */
public interface SaleChecks extends Sample {

    @Test
    default void neverOversellsWithTheLock() {
        for (int run = 0; run < 10; run++) {
            SaleResult sale = sell("buyers=18&stock=6&lock=true");
            assertThat(sale.sold()).isEqualTo(6);
            assertThat(sale.oversold()).isZero();
            assertThat(sale.left()).isZero();
            assertThat(sale.consistent()).isTrue();
            assertThat(sale.soldOut()).isEqualTo(12);
            assertThat(sale.gaveUp() + sale.failed()).isZero();
        }
    }

    @Test
    default void neverOversellsWithTheLockInTheTransaction() {
        for (int run = 0; run < 3; run++) {
            SaleResult sale = sell("buyers=18&stock=6&strategy=transaction");
            assertThat(sale.strategy()).isEqualTo("transaction");
            assertThat(sale.sold()).isEqualTo(6);
            assertThat(sale.oversold()).isZero();
            assertThat(sale.soldOut()).isEqualTo(12);
            assertThat(sale.gaveUp() + sale.failed()).isZero();
            assertThat(sale.sql())
                    .filteredOn(statement -> !statement.contains("rowlock:proof:")) // where the transaction is
                    .noneMatch(statement -> statement.contains("rowlock_lock "))
                    .containsSubsequence("SET autocommit=0", "COMMIT");
            assertThat(sale.sql().indexOf("SET autocommit=0"))
                    .isLessThan(
                            indexOf(
                                    sale.sql(),
                                    "(SET STATEMENT innodb_lock_wait_timeout = 0 FOR )?SELECT slot FROM rowlock_row .*'item-in-transaction:\\d+'.*FOR UPDATE.*"));
        }
    }

    @Test
    default void oversellsWithoutTheLock() {
        List<SaleResult> sales = IntStream.range(0, 5)
                .mapToObj(run -> sell("buyers=40&stock=10&lock=false"))
                .toList();
        assertThat(sales).anySatisfy(sale -> {
            assertThat(sale.sold()).isGreaterThan(10);
            assertThat(sale.oversold()).isEqualTo(sale.sold() - 10);
            assertThat(sale.consistent()).isFalse();
            assertThat(sale.strategy()).isNull();
        });
        assertThat(sales).allMatch(sale -> sale.failed() == 0);
    }

    @Test
    default void sellsOnAsManyNodesAsWanted() {
        SaleResult everywhere = sell("buyers=9&stock=15");
        assertThat(everywhere.soldBy())
                .containsOnlyKeys("node-1", "node-2", "node-3")
                .containsValue(3);
        assertThat(everywhere.left()).isEqualTo(6);
        assertThat(everywhere.duration()).isPositive();
        assertThat(sell("buyers=9&stock=15&nodes=2").soldBy())
                .containsEntry("node-1", 5)
                .containsEntry("node-2", 4);
    }

    @Test
    default void showsTheSqlOfOneSaleInItsOrder() {
        SaleResult sale = sell("buyers=3&stock=1&nodes=1");
        List<String> sql = sale.sql();
        assertThat(sql)
                .anySatisfy(statement -> assertThat(statement)
                        .startsWith("UPDATE rowlock_lock SET owner = IF(expires_at = '1970-01-01', 'node-1#")
                        .contains("WHERE lock_key = 'item:%d'".formatted(sale.itemId())));
        assertThat(sql).anySatisfy(statement -> assertThat(statement).startsWith("UPDATE sample_item SET stock"));
        assertThat(sql.indexOf("SET autocommit=0")).isPositive().isLessThan(sql.indexOf("COMMIT"));
    }

    private static int indexOf(List<String> sql, String statement) {
        return IntStream.range(0, sql.size())
                .filter(index -> sql.get(index).matches(statement))
                .findFirst()
                .orElse(-1);
    }

    private SaleResult sell(String query) {
        return post("/sale?" + query, SaleResult.class);
    }
}
