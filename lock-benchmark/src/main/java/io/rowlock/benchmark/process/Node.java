package io.rowlock.benchmark.process;

import io.rowlock.benchmark.contender.Contenders;
import io.rowlock.benchmark.contender.Locks;
import io.rowlock.benchmark.contender.Worker;
import io.rowlock.benchmark.server.Servers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The main class of a process that does what {@link NodeProcess} tells it, one command a line, one answer each. */
final class Node {
    static final String ANSWER = "answer ";
    static final String ERROR = "error ";

    private final Servers servers = Servers.ofEnvironment();
    private final ExecutorService waiters = Executors.newCachedThreadPool();
    private final List<Future<?>> waiting = new ArrayList<>();
    private @Nullable Locks locks;
    private @Nullable Worker worker;

    private Node() {}

    public static void main(String[] arguments) throws IOException {
        Node node = new Node();
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            System.out.println(node.answer(line.split(" ", -1)));
        }
        System.exit(0);
    }

    private String answer(String[] command) {
        try {
            return ANSWER
                    + switch (command[0]) {
                        case "clock" -> Long.toString(System.nanoTime());
                        case "open" -> open(command[1], command[2], Integer.parseInt(command[3]));
                        case "loop" -> loop(command[1], number(command[2]), number(command[3]), number(command[4]));
                        case "once" -> text(List.of(once(command[1], number(command[2]), number(command[3]))));
                        case "wait" -> startWaiting(command[1], Integer.parseInt(command[2]));
                        case "waited" -> endWaiting();
                        case "close" -> close();
                        default -> throw new IllegalArgumentException("Unknown: " + command[0]);
                    };
        } catch (Exception e) {
            e.printStackTrace();
            return ERROR + e;
        }
    }

    private static long number(String text) {
        return Long.parseLong(text);
    }

    private String open(String contender, String key, int threads) throws Exception {
        Locks opened = Contenders.named(contender).open(servers, threads + 1);
        locks = opened;
        worker = opened.worker();
        worker.prepare(key);
        return "";
    }

    private Worker worker() {
        if (worker == null) {
            throw new IllegalStateException("Nothing is open");
        }
        return worker;
    }

    /** Holds and pauses in turn, equally long. */
    private String loop(String key, long begin, long end, long bodyNanos) throws Exception {
        List<HeldTime> times = new ArrayList<>();
        sleepUntil(begin);
        while (System.nanoTime() - end < 0) {
            HeldTime time = hold(key, bodyNanos);
            times.add(time);
            sleepUntil(time.released() + bodyNanos);
        }
        return text(times);
    }

    private HeldTime once(String key, long at, long bodyNanos) throws Exception {
        sleepUntil(at);
        return hold(key, bodyNanos);
    }

    private HeldTime hold(String key, long bodyNanos) throws Exception {
        worker().lock(key);
        long acquired = System.nanoTime();
        sleepUntil(acquired + bodyNanos);
        long releasing = System.nanoTime();
        worker().unlock();
        return new HeldTime(acquired, releasing, System.nanoTime());
    }

    private static void sleepUntil(long time) throws InterruptedException {
        for (long left = time - System.nanoTime(); left > 0; left = time - System.nanoTime()) {
            TimeUnit.NANOSECONDS.sleep(left);
        }
    }

    private static String text(List<HeldTime> times) {
        return times.stream().map(HeldTime::text).collect(Collectors.joining(" "));
    }

    private String startWaiting(String key, int threads) {
        Locks opened = locks;
        if (opened == null) {
            throw new IllegalStateException("Nothing is open");
        }
        for (int i = 0; i < threads; i++) {
            waiting.add(waiters.submit(() -> {
                try (Worker waiter = opened.worker()) {
                    waiter.lock(key);
                    waiter.unlock();
                }
                return null;
            }));
        }
        return "";
    }

    private String endWaiting() throws Exception {
        for (Future<?> waiter : waiting) {
            waiter.get(Locks.PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        waiting.clear();
        return "";
    }

    private String close() throws Exception {
        if (worker != null) {
            worker.close();
            worker = null;
        }
        if (locks != null) {
            locks.close();
            locks = null;
        }
        return "";
    }
}
