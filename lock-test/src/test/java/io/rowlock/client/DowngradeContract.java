package io.rowlock.client;

abstract class DowngradeContract extends ClientContract {}
