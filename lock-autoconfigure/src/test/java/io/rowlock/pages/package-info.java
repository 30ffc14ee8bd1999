/** The pages of the documentation, against the code and against each other. */
@NullMarked
package io.rowlock.pages;

import org.jspecify.annotations.NullMarked;
