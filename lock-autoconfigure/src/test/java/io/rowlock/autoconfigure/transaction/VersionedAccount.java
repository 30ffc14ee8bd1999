package io.rowlock.autoconfigure.transaction;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;

/** An entity whose version refuses a write of an older state by itself. */
@Entity
public class VersionedAccount {
    @Id
    private Integer id;

    private int amount;

    @Version
    private int version;

    protected VersionedAccount() {}

    VersionedAccount(int id) {
        this.id = id;
    }

    int add() {
        return ++amount;
    }
}
