package io.rowlock.client;

abstract class LockViewContract extends ClientContract {}
