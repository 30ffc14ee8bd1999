package io.rowlock.autoconfigure.transaction;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** An entity without a version. */
@Entity
public class Account {
    @Id
    private Integer id;

    private int amount;

    protected Account() {}

    Account(int id) {
        this.id = id;
    }

    int add() {
        return ++amount;
    }
}
