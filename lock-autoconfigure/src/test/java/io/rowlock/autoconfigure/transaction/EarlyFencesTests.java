package io.rowlock.autoconfigure.transaction;

import static org.mockito.Answers.RETURNS_DEEP_STUBS;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.verify;

import io.rowlock.client.RowlockClient;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions that begin before the client is made. */
class EarlyFencesTests {
    @Test
    void transactionBeforeTheClientSearchesNoBeans() {
        DefaultListableBeanFactory beans = spy(new DefaultListableBeanFactory());
        beans.registerBeanDefinition("client", new RootBeanDefinition(RowlockClient.class));
        EarlyFences early = RowlockTransactionAutoConfiguration.rowlockEarlyFences(
                beans, beans.getBeanProvider(TransactionFences.class));
        var manager = new DataSourceTransactionManager(mock(DataSource.class, RETURNS_DEEP_STUBS));
        early.postProcessAfterInitialization(manager, "manager");
        clearInvocations(beans);

        new TransactionTemplate(manager).executeWithoutResult(transaction -> {});
        verify(beans, never()).getBeanNamesForType(any(Class.class), anyBoolean(), anyBoolean());
    }
}
