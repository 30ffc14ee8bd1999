package io.rowlock.store.jdbc.rowlock;

import io.rowlock.test.OnMariaDb118;

@OnMariaDb118
class MariaDb118RowLockFenceTests extends RowLockFenceContract {}
