package io.rowlock.autoconfigure.interceptor;

import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;

@OnServer(ServerFlavor.MYSQL)
class MySqlAspectjAnnotatedBeansTests extends AnnotatedBeansContract {
    @Override
    TestApplication proxied(TestApplication application) {
        return application;
    }

    @Override
    String proxyCreator() {
        return "AnnotationAwareAspectJAutoProxyCreator";
    }
}
