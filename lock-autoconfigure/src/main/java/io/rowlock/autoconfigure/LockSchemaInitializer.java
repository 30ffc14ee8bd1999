package io.rowlock.autoconfigure;

import org.springframework.beans.factory.InitializingBean;

/** Sees to the lock tables when the application starts, after the application's own migrations. */
interface LockSchemaInitializer extends InitializingBean {}
