package io.rowlock.client;

abstract class CleanUpContract extends ClientContract {}
