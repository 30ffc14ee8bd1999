package io.rowlock.verification.node;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** The row of a counter, as JPA sees it. */
@Entity
@Table(name = "counter")
class Counter {
    @Id
    String name = "";

    long value;
}
