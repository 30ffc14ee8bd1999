package io.rowlock.client;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/** The shared and the exclusive lock of one key. */
record ReadWriteLockView(Lock readLock, Lock writeLock) implements ReadWriteLock {}
