package io.rowlock.sample.node;

/**
 * Something a node can be asked to do. Called on a thread for orders, several at a time.
 *
 * @param <I> what it is given
 * @param <O> what it answers
 */
public interface Task<I, O> {
    /** The name to ask for. */
    String name();

    /** The type of what it is given. */
    Class<I> input();

    /** Does it. */
    O run(I input) throws Exception;
}
