package io.rowlock.verification.history;

/**
 * A rule that a history breaks.
 *
 * @param rule which
 * @param at when it was broken, or first seen so
 * @param text what broke it
 */
public record Violation(String rule, long at, String text) {}
