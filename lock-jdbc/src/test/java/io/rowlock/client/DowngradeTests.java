package io.rowlock.client;

import io.rowlock.test.OnEachServer;

@OnEachServer
class DowngradeTests extends DowngradeContract {}
