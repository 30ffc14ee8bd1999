package io.rowlock.autoconfigure.interceptor;

import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;

@OnServer
class AspectjInterfaceProxiedBeansTests extends AnnotatedBeansContract {
    @Override
    TestApplication proxied(TestApplication application) {
        return application.with("spring.aop.proxy-target-class", "false");
    }

    @Override
    String proxyCreator() {
        return "AnnotationAwareAspectJAutoProxyCreator";
    }

    @Override
    boolean byInterface() {
        return true;
    }
}
