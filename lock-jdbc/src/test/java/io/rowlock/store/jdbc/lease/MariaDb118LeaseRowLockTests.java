package io.rowlock.store.jdbc.lease;

import io.rowlock.test.OnMariaDb118;

@OnMariaDb118
class MariaDb118LeaseRowLockTests extends LeaseRowLockContract {}
