package io.rowlock.sample.node;

/** A node that cannot do what it was asked to as it is; the message is one sentence for the caller. */
public final class NodeException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public NodeException(String message) {
        super(message);
    }
}
