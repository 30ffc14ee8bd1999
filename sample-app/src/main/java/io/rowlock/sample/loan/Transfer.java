package io.rowlock.sample.loan;

/**
 * A part of one creditor's claim that another one buys.
 *
 * @param seller the creditor who gives it away
 * @param buyer the creditor who gets it
 * @param cents how much of the debt it is
 */
record Transfer(int seller, int buyer, long cents) {}
