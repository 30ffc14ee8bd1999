package io.rowlock.fault;

import io.rowlock.store.redis.RedisInsides;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A command of a client, or a message of the server.
 *
 * @param name of the script or command
 * @param text what it is about
 * @param message whether the server has sent it
 */
record RedisRequest(String name, String text, boolean message) implements Request {
    private static final Map<String, String> SCRIPTS = RedisInsides.scriptNames();
    private static final Set<Fault> OF_REQUESTS = EnumSet.range(Fault.REQUEST_LOST, Fault.SERVER_PAUSED);
    private static final Set<Fault> OF_MESSAGES =
            EnumSet.of(Fault.MESSAGE_LOST, Fault.MESSAGE_LATE, Fault.SESSION_KILLED_BEFORE);

    static RedisRequest command(RespValue value) {
        List<String> parts = value.parts();
        String command = parts.isEmpty() ? "" : parts.get(0).toUpperCase(Locale.ROOT);
        if (command.equals("EVALSHA")) {
            String script = SCRIPTS.getOrDefault(parts.get(1), "?");
            return new RedisRequest(script, String.join(" ", parts.subList(3, parts.size())), false);
        }
        String text = command.equals("EVAL") ? "(whole)" : String.join(" ", parts);
        return new RedisRequest(command.toLowerCase(Locale.ROOT), text, false);
    }

    static RedisRequest message(RespValue value) {
        return new RedisRequest("message", value.parts().get(2), true);
    }

    @Override
    public Set<Fault> faults() {
        return message ? OF_MESSAGES : OF_REQUESTS;
    }

    @Override
    public String toString() {
        return name + " " + text;
    }
}
