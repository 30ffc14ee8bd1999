/** What may be asked of the page, and the answer to anything else. */
@NullMarked
package io.rowlock.sample.input;

import org.jspecify.annotations.NullMarked;
