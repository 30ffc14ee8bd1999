package io.rowlock.store.jdbc.lease;

import io.rowlock.store.Lease;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/** Leases in primary-key order, as parameters of one statement. */
record LeaseBatch(List<Lease> leases) {
    static LeaseBatch of(Collection<Lease> leases) {
        return new LeaseBatch(leases.stream().sorted(Lease.STORE_ORDER).toList());
    }

    /** How many leases the statement names: a power of two, so that only a few different texts are prepared. */
    int width() {
        int size = leases.size();
        return size == 1 ? 1 : Integer.highestOneBit(size - 1) << 1;
    }

    /**
     * The parameters for {@link #width()} leases, behind {@code first}; the last lease fills what is left.
     *
     * @param naming how the table names the row of a lease
     */
    Object[] parameters(RowNaming naming, Object... first) {
        List<Object> all = new ArrayList<>(List.of(first));
        for (int i = 0; i < width(); i++) {
            Collections.addAll(all, naming.parameters(leases.get(Math.min(i, leases.size() - 1))));
        }
        return all.toArray();
    }
}
