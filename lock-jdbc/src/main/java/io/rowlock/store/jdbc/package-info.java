/** The strategies on MySQL and MariaDB: their statements, and the only JDBC of the library. */
@NullMarked
package io.rowlock.store.jdbc;

import org.jspecify.annotations.NullMarked;
