package io.rowlock.autoconfigure;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** What the ledgers of the tests store. */
@Entity
class Entry {
    @Id
    private Integer id;

    protected Entry() {}

    Entry(int id) {
        this.id = id;
    }

    Integer id() {
        return id;
    }
}
