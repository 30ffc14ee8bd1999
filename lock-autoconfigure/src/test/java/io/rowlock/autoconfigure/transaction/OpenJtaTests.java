package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

import jakarta.transaction.Status;
import jakarta.transaction.UserTransaction;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.jta.JtaTransactionManager;

class OpenJtaTests {
    private final UserTransaction transaction = mock();
    private final OpenJta open = new OpenJta(new JtaTransactionManager(transaction));

    @Test
    void transactionIsOpenUnlessThereIsNone() throws Exception {
        given(transaction.getStatus()).willReturn(Status.STATUS_NO_TRANSACTION, Status.STATUS_ACTIVE);
        assertThat(open.getAsBoolean()).isFalse();
        assertThat(open.getAsBoolean()).isTrue();
    }

    @Test
    void whatCannotBeToldCountsAsOpen() throws Exception {
        given(transaction.getStatus()).willThrow(new IllegalStateException("the manager is stopped"));
        assertThat(open.getAsBoolean()).isTrue();
        assertThat(new OpenJta(mock(ConfigurableTransactionManager.class)).getAsBoolean())
                .isTrue();
    }
}
