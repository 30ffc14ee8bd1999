package io.rowlock.client;

import io.rowlock.test.OnEachServer;

@OnEachServer
class AnyKeyTests extends AnyKeyContract {}
