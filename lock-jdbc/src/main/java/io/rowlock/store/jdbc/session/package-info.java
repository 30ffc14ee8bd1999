/** Sessions on MySQL and MariaDB: connections, statements, transactions, and the meaning of their failures. */
@NullMarked
package io.rowlock.store.jdbc.session;

import org.jspecify.annotations.NullMarked;
