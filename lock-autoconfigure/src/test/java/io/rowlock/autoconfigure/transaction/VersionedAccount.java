package io.rowlock.autoconfigure.transaction;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.PreUpdate;
import jakarta.persistence.Transient;
import jakarta.persistence.Version;
import org.jspecify.annotations.Nullable;

/** An entity whose version refuses a write of an older state by itself. */
@Entity
public class VersionedAccount {
    @Id
    private Integer id;

    private int amount;

    @Version
    private int version;

    /** Called while it is flushed. */
    @Transient
    private @Nullable Runnable beforeUpdate;

    protected VersionedAccount() {}

    VersionedAccount(int id) {
        this.id = id;
    }

    void beforeUpdate(Runnable action) {
        beforeUpdate = action;
    }

    @PreUpdate
    void update() {
        if (beforeUpdate != null) {
            beforeUpdate.run();
        }
    }

    int add() {
        return ++amount;
    }
}
