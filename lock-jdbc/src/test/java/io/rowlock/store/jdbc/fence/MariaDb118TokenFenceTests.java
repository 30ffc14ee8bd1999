package io.rowlock.store.jdbc.fence;

import io.rowlock.test.OnMariaDb118;

@OnMariaDb118
class MariaDb118TokenFenceTests extends TokenFenceContract {}
