package io.rowlock.autoconfigure;

import io.rowlock.autoconfigure.client.GeneratedOwner;
import io.rowlock.client.request.Handoff;
import io.rowlock.client.request.LockClientSettings;

/** Turns the properties into the client's defaults. */
final class ClientSettings {
    private ClientSettings() {}

    static LockClientSettings of(RowlockProperties properties, String applicationName) {
        String configured = properties.owner();
        return new LockClientSettings(
                properties.strategy(),
                properties.ttl(),
                properties.waitTime(),
                properties.keyPrefix(),
                configured == null ? GeneratedOwner.of(applicationName) : configured,
                properties.renewal().enabled(),
                properties.renewal().interval(),
                new Handoff(properties.handoff().max(), properties.handoff().maxTime()));
    }
}
