package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

import jakarta.transaction.Status;
import jakarta.transaction.UserTransaction;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.jta.JtaTransactionManager;

class OpenJtaTests {
    private final UserTransaction transaction = mock();
    private final JtaTransactionManager manager = new JtaTransactionManager(transaction);
    private final OpenJta open = new OpenJta(manager);

    @Test
    void transactionIsOpenUnlessThereIsNone() throws Exception {
        given(transaction.getStatus()).willReturn(Status.STATUS_NO_TRANSACTION, Status.STATUS_ACTIVE);
        assertThat(open.getAsBoolean()).isFalse();
        assertThat(open.getAsBoolean()).isTrue();
    }

    /** Else a lock would be refused while its transaction is suspended. */
    @Test
    void managerIsFoundBehindItsProxy() throws Exception {
        ProxyFactory proxies = new ProxyFactory(manager);
        proxies.setProxyTargetClass(false);
        given(transaction.getStatus()).willReturn(Status.STATUS_NO_TRANSACTION);
        ConfigurableTransactionManager proxy = (ConfigurableTransactionManager) proxies.getProxy();
        assertThat(proxy).isNotInstanceOf(JtaTransactionManager.class);
        assertThat(new OpenJta(proxy).getAsBoolean()).isFalse();
    }

    @Test
    void whatCannotBeToldCountsAsOpen() throws Exception {
        given(transaction.getStatus()).willThrow(new IllegalStateException("the manager is stopped"));
        assertThat(open.getAsBoolean()).isTrue();
        assertThat(new OpenJta(mock(ConfigurableTransactionManager.class)).getAsBoolean())
                .isTrue();
    }
}
