/** Auto-configurations and properties of Rowlock: they wire the parts in the packages below into an application. */
@NullMarked
package io.rowlock.autoconfigure;

import org.jspecify.annotations.NullMarked;
