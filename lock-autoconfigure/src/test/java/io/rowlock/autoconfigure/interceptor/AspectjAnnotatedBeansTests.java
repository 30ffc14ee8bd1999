package io.rowlock.autoconfigure.interceptor;

import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;

@OnServer
class AspectjAnnotatedBeansTests extends AnnotatedBeansContract {
    @Override
    TestApplication proxied(TestApplication application) {
        return application;
    }

    @Override
    String proxyCreator() {
        return "AnnotationAwareAspectJAutoProxyCreator";
    }
}
