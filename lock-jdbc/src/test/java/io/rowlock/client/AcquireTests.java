package io.rowlock.client;

import io.rowlock.test.OnEachServer;

@OnEachServer
class AcquireTests extends AcquireContract {}
