package io.rowlock.client;

abstract class SharedLeaseContract extends ClientContract {}
