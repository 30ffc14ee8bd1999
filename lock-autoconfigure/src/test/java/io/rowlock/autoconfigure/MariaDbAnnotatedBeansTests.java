package io.rowlock.autoconfigure;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;

@OnServer(ServerFlavor.MARIADB)
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
