import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Draws the diagrams of the pages: {@code java docs/images/Draw.java} writes them beside this file, or into the folder that it is given. */
public class Draw {
    private static final int WIDTH = 760;

    private final Map<String, int[]> boxes = new LinkedHashMap<>();
    private final List<String> parts = new ArrayList<>();

    public static void main(String[] args) throws IOException {
        Path folder = args.length > 0 ? Path.of(args[0]) : Path.of("docs", "images");
        Files.writeString(folder.resolve("strategy-tree.svg"), strategyTree());
        Files.writeString(folder.resolve("pools.svg"), pools());
        Files.writeString(folder.resolve("architecture.svg"), architecture());
        Files.writeString(folder.resolve("lease-states.svg"), leaseStates());
        Files.writeString(folder.resolve("timeline.svg"), timeline());
    }

    private static String strategyTree() {
        Draw d = new Draw();
        d.box("db", 20, 20, 330, "ask", "Is there a MySQL or MariaDB,", "and may locks load it?");
        d.box("redis", 560, 20, 180, "answer", "redis");
        d.box("tx", 20, 110, 330, "ask", "Is the method one short transaction", "on that database, and nothing else?");
        d.box("transaction", 560, 110, 180, "answer", "transaction");
        d.box("short", 20, 200, 330, "ask", "Are locks held for milliseconds,", "very often, a few at a time per node?");
        d.box("row", 560, 200, 180, "answer", "row-lock");
        d.box("many", 20, 290, 330, "ask", "Are millions of different keys", "locked once each, exclusively?");
        d.box("unique", 560, 290, 180, "answer", "unique-key");
        d.box("lease", 95, 380, 180, "answer", "lease");
        d.right("db", "redis", "no");
        d.right("tx", "transaction", "yes");
        d.right("short", "row", "yes");
        d.right("many", "unique", "yes");
        d.down("db", "tx", "yes");
        d.down("tx", "short", "no");
        d.down("short", "many", "no");
        d.down("many", "lease", "no");
        return d.svg(450, "Decision tree of the strategies", "Without a database for locks: redis. One short transaction: transaction."
                + " Very short and frequent locks: row-lock. Millions of keys locked once: unique-key. Otherwise: lease.");
    }

    private static String pools() {
        Draw d = new Draw();
        d.frame(20, 10, 480, 400, "a node");
        d.box("app", 40, 50, 440, "other", "the application's own pool (10)", "its transactions, and the commit check");
        d.box("rowlock", 40, 120, 440, "box", "rowlock (8)", "acquire, release, renew: some milliseconds each");
        d.box("waiting", 40, 190, 440, "box", "rowlock-waiting (8)", "one per key that is waited for");
        d.box("row", 40, 260, 440, "box", "rowlock-row-lock (8)", "one per held or awaited lock of row-lock");
        d.box("batch", 40, 330, 440, "box", "rowlock-batch (4)", "more than eight acquires or releases at once");
        d.box("mysql", 590, 50, 150, 330, "answer", "MySQL", "or MariaDB");
        for (String pool : List.of("app", "rowlock", "waiting", "row", "batch")) {
            d.across(pool, "mysql");
        }
        return d.svg(425, "The pools of a node", "Beside the application's own pool, a node opens up to four pools on demand: rowlock, rowlock-waiting,"
                + " rowlock-row-lock and rowlock-batch. With the defaults they have 28 connections.");
    }

    private static String architecture() {
        Draw d = new Draw();
        d.frame(20, 10, 350, 90, "lock-autoconfigure, lock-test");
        d.box("boot", 40, 40, 310, "box", "properties, pools, endpoint,", "health, meters, test kit");
        d.frame(390, 10, 350, 90, "lock-aspects, -shedlock, -spring-integration");
        d.box("peers", 410, 40, 310, "box", "the aspect, LockProvider,", "LockRegistry");
        d.frame(20, 125, 720, 460, "lock-core");
        d.box("interceptor", 40, 155, 680, "box", "interceptor", "the advice of the annotations");
        d.box("leader", 40, 225, 680, "box", "leader", "elections");
        d.box("client", 40, 295, 680, "box", "client, client.admin, client.transaction", "the LockClient, operators, strategy transaction");
        d.box("lock", 40, 365, 680, "box", "client.lock, client.observe, client.request", "queues, leases, renewal, commit checks; log, events, meters; resolved requests");
        d.box("spi", 40, 435, 680, "answer", "store: the SPI", "LockStore, WaitQueue, commit check, inspection, maintenance");
        d.box("root", 40, 505, 680, "box", "io.rowlock, annotation", "contracts, values, exceptions");
        d.frame(20, 610, 350, 90, "lock-jdbc");
        d.box("jdbc", 40, 640, 310, "box", "lease, rowlock, log, fence", "SQL, sessions, clean-up, migrations");
        d.frame(390, 610, 350, 90, "lock-redis");
        d.box("redisbox", 410, 640, 310, "box", "scripts, queue, fail-over", "Lua and Lettuce");
        d.down("boot", "interceptor", "");
        d.down("peers", "interceptor", "");
        d.down("interceptor", "leader", "");
        d.down("leader", "client", "");
        d.down("client", "lock", "");
        d.down("lock", "spi", "");
        d.down("spi", "root", "");
        d.up("jdbc", "root", "implements store");
        d.up("redisbox", "root", "implements store");
        return d.svg(715, "Modules and floors", "The other modules stand on lock-core. In lock-core the floors are, from above: interceptor, leader, client with client.admin"
                + " and client.transaction, client.lock, client.observe and client.request, store, the root package. lock-jdbc and lock-redis implement the store.");
    }

    private static String leaseStates() {
        Draw d = new Draw();
        d.frame(20, 10, 450, 105, "held; at risk if its renewal is late");
        d.box("changing", 40, 45, 140, "box", "CHANGING", "becomes shared");
        d.box("held", 270, 45, 180, "answer", "HELD", "renewed every ttl / 3");
        d.box("overdue", 570, 45, 170, "bad", "OVERDUE", "no longer trusted");
        d.box("releasing", 270, 165, 180, "box", "RELEASING", "asked to end");
        d.box("released", 270, 285, 180, "answer", "RELEASED", "the key is free");
        d.box("lost", 570, 285, 170, "bad", "LOST", "commits are refused");
        d.arrow(270, 60, 180, 60, "", true);
        d.arrow(180, 80, 270, 80, "", true);
        d.note(225, 53, "middle", "downgrade");
        d.note(225, 98, "middle", "stays");
        d.arrow(470, 70, 570, 70, "term is over", true);
        d.arrow(470, 112, 585, 285, "", false);
        d.note(518, 165, "start", "gone");
        d.arrow(655, 95, 655, 285, "", false);
        d.note(645, 190, "end", "closed, or");
        d.note(645, 208, "end", "found gone");
        d.down("held", "releasing", "");
        d.note(350, 150, "end", "last holder leaves");
        d.down("releasing", "released", "");
        d.note(350, 255, "end", "answered");
        d.right("releasing", "lost", "");
        d.note(500, 268, "end", "gone");
        d.arrow(110, 95, 270, 310, "", false);
        d.note(170, 215, "end", "shared now,");
        d.note(170, 233, "end", "as a new lease");
        return d.svg(355, "The life of a lease", "A lease is HELD and renewed, or CHANGING into a shared one, which replaces it. It becomes RELEASING when its last holder leaves,"
                + " and RELEASED when that is answered. It becomes OVERDUE when its term is over, and LOST when the database says that it is gone.");
    }

    /** The times, in seconds, are those of a run of the sample. */
    private static String timeline() {
        Draw d = new Draw();
        for (int second = 0; second <= 4; second++) {
            d.parts.add("<path class=\"grid\" d=\"M%d 30V204\"/>".formatted(at(second)));
            d.note(at(second), 20, "middle", second + " s");
        }
        d.parts.add("<text class=\"ink strong\" x=\"14\" y=\"87\">node-1</text><text class=\"ink strong\" x=\"14\" y=\"167\">node-2</text>");
        d.parts.add("<path class=\"pause\" d=\"M%d 56V48H%dV56\"/>".formatted(at(0.25), at(3.87)));
        d.parts.add("<rect class=\"bg\" x=\"%d\" y=\"38\" width=\"170\" height=\"20\"/>".formatted(at(2.06) - 85));
        d.note(at(2.06), 53, "middle", "the process is paused");
        d.bar("hold", 0.13, 3.13, 62, "on", "holds account:1, ttl 3 s, token 1");
        d.bar("bad", 3.13, 3.92, 62, "ink", "expired");
        d.bar("wait", 0.30, 3.13, 142, "ink", "waits for account:1");
        d.bar("hold", 3.14, 3.86, 142, "on", "token 2");
        d.parts.add("<path class=\"expiry\" d=\"M%d 58V196\"/>".formatted(at(3.135)));
        d.parts.add("<text class=\"refused strong\" x=\"%d\" y=\"81\">commit</text><text class=\"refused strong\" x=\"%d\" y=\"99\">refused</text>"
                .formatted(at(3.92) + 12, at(3.92) + 12));
        d.parts.add("<text class=\"done strong\" x=\"%d\" y=\"167\">committed</text>".formatted(at(3.86) + 12));
        return d.svg(216, "A lost lock, recorded from the sample", "node-1 acquires a lock with a ttl of 3 seconds, and its process is paused. node-2 waits"
                + " for 2.8 seconds, acquires the lock when the lease has expired, and commits. node-1 resumes, and its commit is refused.");
    }

    private static int at(double second) {
        return (int) Math.round(82 + second * 136);
    }

    private void bar(String kind, double from, double to, int y, String text, String label) {
        parts.add("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"38\" rx=\"4\"/>".formatted(kind, at(from), y, at(to) - at(from)));
        parts.add("<text class=\"%s\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>".formatted(text, (at(from) + at(to)) / 2, y + 25, escaped(label)));
    }

    private void box(String name, int x, int y, int width, String kind, String... lines) {
        box(name, x, y, width, 50, kind, lines);
    }

    private void box(String name, int x, int y, int width, int height, String kind, String... lines) {
        boxes.put(name, new int[] {x, y, width, height});
        parts.add("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>".formatted(kind, x, y, width, height));
        int line = y + height / 2 + (lines.length == 1 ? 6 : -4);
        for (int i = 0; i < lines.length; i++) {
            boolean strong = !kind.equals("ask") && i == 0;
            parts.add("<text class=\"%s\" x=\"%d\" y=\"%d\"%s>%s</text>"
                    .formatted(strong ? "ink strong" : "ink", x + width / 2, line + 19 * i, " text-anchor=\"middle\"", escaped(lines[i])));
        }
    }

    private void frame(int x, int y, int width, int height, String title) {
        parts.add("<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"8\"/>".formatted(x, y, width, height));
        parts.add("<text class=\"soft\" x=\"%d\" y=\"%d\">%s</text>".formatted(x + 14, y + 22, escaped(title)));
    }

    private void right(String from, String to, String label) {
        int[] a = boxes.get(from), b = boxes.get(to);
        arrow(a[0] + a[2], a[1] + a[3] / 2, b[0], b[1] + b[3] / 2, label, true);
    }

    /** To the height at which it begins. */
    private void across(String from, String to) {
        int[] a = boxes.get(from), b = boxes.get(to);
        arrow(a[0] + a[2], a[1] + a[3] / 2, b[0], a[1] + a[3] / 2, "", true);
    }

    private void down(String from, String to, String label) {
        int[] a = boxes.get(from), b = boxes.get(to);
        int x = Math.max(a[0], b[0]) + Math.min(Math.min(a[2], b[2]), 180) / 2;
        arrow(x, a[1] + a[3], x, b[1], label, false);
    }

    private void up(String from, String to, String label) {
        int[] a = boxes.get(from), b = boxes.get(to);
        int x = a[0] + a[2] / 2;
        arrow(x, a[1], x, b[1] + b[3], label, false);
    }

    private void note(int x, int y, String anchor, String text) {
        parts.add("<text class=\"soft\" x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>".formatted(x, y, anchor, escaped(text)));
    }

    private void arrow(int x1, int y1, int x2, int y2, String label, boolean level) {
        parts.add("<path class=\"arrow\" d=\"M%d %dL%d %d\"/>".formatted(x1, y1, x2, y2));
        if (!label.isEmpty()) {
            int x = level ? (x1 + x2) / 2 : x1 + 10, y = level ? (y1 + y2) / 2 - 8 : (y1 + y2) / 2 + 5;
            parts.add("<text class=\"soft\" x=\"%d\" y=\"%d\"%s>%s</text>".formatted(x, y, level ? " text-anchor=\"middle\"" : "", escaped(label)));
        }
    }

    private String svg(int height, String title, String description) {
        return """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="15" role="img" aria-labelledby="t d">
                  <title id="t">%s</title>
                  <desc id="d">%s</desc>
                  <style>
                    .bg { fill: #ffffff; } .ink { fill: #1f2933; } .strong { font-weight: 600; } .soft { fill: #4a5663; font-size: 14px; }
                    .box, .other { fill: #eef2f7; stroke: #9aa5b1; } .ask { fill: none; stroke: #9aa5b1; } .answer { fill: #dcebfb; stroke: #14589c; }
                    .bad { fill: #fde3e3; stroke: #ad2121; } .frame { fill: none; stroke: #9aa5b1; stroke-dasharray: 5 4; }
                    .arrow { stroke: #4a5663; stroke-width: 1.6; fill: none; marker-end: url(#a); } .head { fill: #4a5663; }
                    .grid { stroke: #d8dde4; } .hold { fill: #14589c; } .on { fill: #ffffff; } .wait { fill: none; stroke: #14589c; stroke-dasharray: 5 4; }
                    .pause { fill: none; stroke: #4a5663; } .expiry { stroke: #ad2121; stroke-dasharray: 3 3; } .refused { fill: #ad2121; } .done { fill: #1a6b35; }
                    @media (prefers-color-scheme: dark) {
                      .bg { fill: #0d1117; } .ink { fill: #e6edf3; } .soft { fill: #b3bdc8; } .box, .other { fill: #1b222c; stroke: #57606a; }
                      .answer { fill: #12304f; stroke: #79b0ff; } .bad { fill: #3c1618; stroke: #ff8f8f; } .arrow { stroke: #b3bdc8; } .head { fill: #b3bdc8; }
                      .grid { stroke: #30363d; } .hold { fill: #2f74c0; } .wait { stroke: #79b0ff; } .pause { stroke: #b3bdc8; } .expiry { stroke: #ff8f8f; }
                      .refused { fill: #ff8f8f; } .done { fill: #6fdc8c; }
                    }
                  </style>
                  <defs><marker id="a" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path class="head" d="M0 0L10 5L0 10z"/></marker></defs>
                  <rect class="bg" width="%d" height="%d" rx="8"/>
                  %s
                </svg>
                """.formatted(WIDTH, height, title, description, WIDTH, height, String.join("\n  ", parts));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
