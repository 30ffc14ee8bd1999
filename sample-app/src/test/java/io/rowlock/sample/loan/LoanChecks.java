package io.rowlock.sample.loan;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.sample.Sample;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What the loan shows. */
public interface LoanChecks extends Sample {
    long PRINCIPAL = 1_000_000_00;
    long REPAYMENT = 4_999_99;

    @Test
    default void losesNoMoneyWithTheLock() {
        for (int run = 0; run < 4; run++) {
            LoanResult loan = lend("transfers=40&repayments=5&lock=true");
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
    default void transfersTogetherWithTheLock() {
        LoanResult loan = lend("transfers=60&repayments=1&lock=true");
        assertThat(loan.transfersAtOnce()).isGreaterThan(1);
        assertThat(loan.overlaps()).isZero();
        assertThat(loan.conserved()).isTrue();
        assertThat(loan.duration()).isPositive();
    }

    @Test
    default void paysTwiceForOneClaimWithoutTheLock() {
        List<LoanResult> loans = lend(3, "transfers=1&repayments=10&lock=false");
        assertThat(loans).anySatisfy(loan -> {
            assertThat(loan.created()).isPositive();
            assertThat(loan.outstanding()).isGreaterThan(PRINCIPAL - loan.paidOut());
            assertThat(loan.conserved()).isFalse();
        });
        assertThat(loans).allMatch(loan -> loan.failed() == 0);
    }

    @Test
    default void undoesTransfersWithoutTheLock() {
        List<LoanResult> loans = lend(8, "transfers=40&repayments=1&lock=false");
        assertThat(loans).anySatisfy(loan -> {
            assertThat(loan.overlaps()).isPositive();
            assertThat(loan.transferred()).isEqualTo(40);
            assertThat(loan.lost()).isPositive().isEqualTo(loan.created());
            assertThat(loan.claims()).isEqualTo(loan.outstanding());
            assertThat(loan.conserved()).isFalse();
        });
        assertThat(loans).allMatch(loan -> loan.failed() == 0);
    }

    private List<LoanResult> lend(int times, String query) {
        return IntStream.range(0, times).mapToObj(run -> lend(query)).toList();
    }

    private LoanResult lend(String query) {
        return post("/loan?" + query, LoanResult.class);
    }
}
