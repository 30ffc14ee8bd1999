package io.rowlock.autoconfigure.database;

import org.springframework.beans.factory.InitializingBean;

/** Sees to the lock tables when the application starts, after the application's own migrations. */
public interface LockSchemaInitializer extends InitializingBean {}
