package io.rowlock.client;

/**
 * A time for which a process is certain to have led, by the clock all processes of the machine share.
 *
 * @param process its name
 * @param term the term of its leadership
 * @param from after it first saw that it leads
 * @param until before it last saw so
 */
record Reign(String process, long term, long from, long until) {}
