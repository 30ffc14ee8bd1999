package io.rowlock.autoconfigure.application;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.PostPersist;

/** What the ledgers of the tests store. */
@Entity
public class Entry {
    @Id
    private Integer id;

    /** What JPA is in the middle of when it calls it: the flush, so the commit. */
    public static volatile Runnable whenFlushed = () -> {};

    protected Entry() {}

    Entry(int id) {
        this.id = id;
    }

    @PostPersist
    void flushed() {
        whenFlushed.run();
    }

    Integer id() {
        return id;
    }
}
