/** The recipes of docs/recipes.md, each in a package with its test, and the pools and routers of docs/compatibility.md. */
package io.rowlock.recipes;
