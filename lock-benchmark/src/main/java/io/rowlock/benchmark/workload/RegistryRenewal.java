package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.contender.SpringIntegrationLocks;
import io.rowlock.benchmark.server.Servers;
import java.util.List;

/** Spring Integration's registry, which renews lock by lock. */
final class RegistryRenewal implements RenewalTick.HeldLocks {
    private final SpringIntegrationLocks locks;
    private List<String> held = List.of();

    RegistryRenewal(Servers servers) {
        locks = new SpringIntegrationLocks(servers, 1);
    }

    @Override
    public String name() {
        return "spring-integration-jdbc";
    }

    @Override
    public void hold(List<String> keys) {
        held = keys;
        keys.forEach(key -> locks.registry().obtain(key).lock(RenewalTick.TTL));
    }

    @Override
    public void renewAll() {
        held.forEach(key -> locks.registry().renewLock(key, RenewalTick.TTL));
    }

    @Override
    public void close() {
        held.forEach(key -> locks.registry().obtain(key).unlock());
        locks.close();
    }
}
