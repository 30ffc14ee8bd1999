package io.rowlock.verification.fault;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.rowlock.servers.Network.Traffic;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The sessions in which a node has locks of strategy row-lock, as the network shows them: such a lock ends with its session. Thread-safe. */
public final class RowLockSessions implements IntFunction<Traffic> {
    /** The statement that such a session begins with. */
    private static final String SETTINGS = "SESSION time_zone = '+00:00', innodb_lock_wait_timeout";

    private static final Pattern KEY = Pattern.compile("(?:rw-)?row-lock:\\d+");
    private static final Pattern END = Pattern.compile("(?i)\\b(COMMIT|ROLLBACK)\\b");

    private final Map<Integer, Session> sessions = new ConcurrentHashMap<>();
    private final Set<String> gone = ConcurrentHashMap.newKeySet();
    private final Log log;

    /** Notes what becomes of the node's locks. */
    public interface Log {
        /** Its session is about to end: it ends no sooner than now. */
        void gone(String key);

        /** The node has the key again, in another session. */
        void back(String key);
    }

    public RowLockSessions(Log log) {
        this.log = log;
    }

    @Override
    public Traffic apply(int port) {
        Session session = new Session();
        sessions.put(port, session);
        return session;
    }

    /** All sessions are about to end. */
    void end() {
        sessions.values().forEach(Session::ends);
    }

    /** @param port of the session's client, as the server sees it */
    void end(int port) {
        sessions.getOrDefault(port, new Session()).ends();
    }

    private final class Session implements Traffic {
        private boolean hasRowLocks;
        /** The key of the request under way, and the key that is locked; or empty. */
        private String asked = "";

        private String locked = "";

        /** A session is about one key at a time, until its transaction ends. */
        @Override
        public synchronized void requested(byte[] bytes, int length) {
            String text = new String(bytes, 0, length, ISO_8859_1);
            hasRowLocks |= text.contains(SETTINGS);
            Matcher key = KEY.matcher(text);
            if (hasRowLocks && key.find()) {
                asked = key.group();
            } else if (hasRowLocks && END.matcher(text).find()) {
                locked = "";
            }
        }

        @Override
        public synchronized void answered(byte[] bytes, int length) {
            boolean isError = length > 4 && bytes[4] == -1;
            if (!asked.isEmpty() && !isError) {
                locked = asked;
                if (gone.remove(locked)) {
                    log.back(locked);
                }
            }
            asked = "";
        }

        @Override
        public synchronized void ends() {
            if (!locked.isEmpty() && gone.add(locked)) {
                log.gone(locked);
            }
            locked = "";
        }
    }
}
