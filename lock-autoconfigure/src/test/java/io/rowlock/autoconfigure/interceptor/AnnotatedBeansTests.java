package io.rowlock.autoconfigure.interceptor;

import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnEachServer;

@OnEachServer
class AnnotatedBeansTests extends AnnotatedBeansContract {
    @Override
    TestApplication proxied(TestApplication application) {
        return application.withoutAspectj();
    }

    @Override
    String proxyCreator() {
        return "InfrastructureAdvisorAutoProxyCreator";
    }
}
