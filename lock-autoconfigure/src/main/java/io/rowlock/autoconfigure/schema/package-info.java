/** The lock tables when an application starts: migrated, validated or only looked for. */
@NullMarked
package io.rowlock.autoconfigure.schema;

import org.jspecify.annotations.NullMarked;
