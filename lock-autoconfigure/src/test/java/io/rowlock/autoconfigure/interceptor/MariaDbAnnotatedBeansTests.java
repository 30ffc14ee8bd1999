package io.rowlock.autoconfigure.interceptor;

import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;
import org.junit.jupiter.api.Tag;

@OnServer(ServerFlavor.MARIADB)
@Tag("full")
class MariaDbAnnotatedBeansTests extends AnnotatedBeansContract {
    @Override
    TestApplication proxied(TestApplication application) {
        return application.withoutAspectj();
    }

    @Override
    String proxyCreator() {
        return "InfrastructureAdvisorAutoProxyCreator";
    }
}
