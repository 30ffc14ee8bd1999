package io.rowlock.client;

import io.rowlock.test.OnMariaDb118;

@OnMariaDb118
class MariaDb118TransactionTests extends TransactionContract {}
