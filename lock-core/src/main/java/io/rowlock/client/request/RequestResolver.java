package io.rowlock.client.request;

import static java.util.function.Function.identity;
import static java.util.stream.Collectors.toUnmodifiableMap;

import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.Printable;
import io.rowlock.store.LockStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

/** Fills the defaults into requests and checks them against the limits of their strategy. Thread-safe. */
public final class RequestResolver {
    private static final int MAX_KEY_BYTES = 255;

    /** The name of the clean-up job for its lock, which it acquires through whatever client the application has. */
    private static final String CLEAN_UP = "clean-up";

    private final Map<String, LockStore> stores;
    private final LockClientSettings settings;

    public RequestResolver(Collection<? extends LockStore> stores, LockClientSettings settings) {
        this.stores = stores.stream().collect(toUnmodifiableMap(LockStore::strategy, identity()));
        this.settings = settings;
        ResolvedRequest.checkTtl(store(settings.strategy()), settings.ttl());
    }

    public LockClientSettings settings() {
        return settings;
    }

    public Collection<LockStore> stores() {
        return stores.values();
    }

    public Duration patience(LockRequest request) {
        return Objects.requireNonNullElse(request.waitTime(), settings.waitTime());
    }

    public List<ResolvedRequest> resolve(LockRequest request) {
        LockStore store = store(Objects.requireNonNullElse(request.strategy(), settings.strategy()));
        if (!store.capabilities().modes().contains(request.mode())) {
            String wanted = request.mode() == LockMode.PERMIT
                    ? "permits"
                    : request.mode().name().toLowerCase(Locale.ROOT) + " locks";
            throw new IllegalArgumentException("Strategy \"%s\" has no %s".formatted(store.strategy(), wanted));
        }
        Duration ttl = Objects.requireNonNullElse(request.ttl(), settings.ttl());
        ResolvedRequest.checkTtl(store, ttl);
        boolean renewal = Objects.requireNonNullElse(request.renewal(), settings.renewal());
        List<ResolvedRequest> resolved = new ArrayList<>(request.keys().size());
        for (String key : request.keys()) {
            resolved.add(new ResolvedRequest(
                    store, request, key, prefixed(key), request.mode(), ttl, renewal, settings.owner()));
        }
        return resolved;
    }

    /** Keeps programs from keys of the library's own locks: they would keep a leader or the clean-up away. */
    public static void refuseReserved(LockRequest request) {
        for (String key : request.keys()) {
            boolean isOfCleanUp = CLEAN_UP.equals(request.name()) && key.equals("rowlock:" + CLEAN_UP);
            if ((key.startsWith("rowlock:") || key.startsWith("leader:")) && !isOfCleanUp) {
                throw new IllegalArgumentException(
                        "The lock key \"%s\" is reserved: keys that begin with \"%s\" belong to Rowlock's own locks; choose another name"
                                .formatted(Printable.of(key), key.substring(0, key.indexOf(':') + 1)));
            }
        }
    }

    /** @throws IllegalArgumentException if the strategy may end a lock before its ttl */
    public void requireLasting(LockRequest request) {
        for (ResolvedRequest key : resolve(request)) {
            if (!key.store().lastsForTtl()) {
                throw new IllegalArgumentException(
                        "Strategy \"%s\" may end the lock \"%s\" before its ttl, so that two owners could believe they hold it"
                                .formatted(key.store().strategy(), Printable.of(key.name())));
            }
        }
    }

    private LockStore store(String strategy) {
        LockStore store = stores.get(strategy);
        if (store == null) {
            throw new IllegalArgumentException("There is no lock strategy \"%s\", only %s"
                    .formatted(Printable.of(strategy), new TreeSet<>(stores.keySet())));
        }
        return store;
    }

    /**
     * The key as the table has it.
     *
     * @throws IllegalArgumentException if it is too long
     */
    public String prefixed(String key) {
        String full = settings.stored(key);
        int bytes = full.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_KEY_BYTES) {
            throw new IllegalArgumentException(
                    "The lock key \"%s\" has %d bytes of UTF-8 with its prefix, the limit is %d"
                            .formatted(Printable.of(full), bytes, MAX_KEY_BYTES));
        }
        return full;
    }
}
