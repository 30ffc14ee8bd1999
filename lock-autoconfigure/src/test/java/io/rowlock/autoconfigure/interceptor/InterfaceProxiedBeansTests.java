package io.rowlock.autoconfigure.interceptor;

import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;

@OnServer
class InterfaceProxiedBeansTests extends AnnotatedBeansContract {
    @Override
    TestApplication proxied(TestApplication application) {
        return application.withoutAspectj().with("spring.aop.proxy-target-class", "false");
    }

    @Override
    String proxyCreator() {
        return "InfrastructureAdvisorAutoProxyCreator";
    }

    @Override
    boolean byInterface() {
        return true;
    }
}
