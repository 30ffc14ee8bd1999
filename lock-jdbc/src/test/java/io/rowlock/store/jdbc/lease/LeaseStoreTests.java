package io.rowlock.store.jdbc.lease;

import io.rowlock.test.OnEachServer;

@OnEachServer(dependsOnServer = true, mariaDb118 = true)
class LeaseStoreTests extends LeaseStoreContract {}
