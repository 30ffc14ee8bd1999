package io.rowlock.benchmark.process;

import io.rowlock.benchmark.server.Servers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Several processes that get the same commands. Used by one thread. */
public final class Nodes implements AutoCloseable {
    private final List<NodeProcess> all = new ArrayList<>();

    public Nodes(Servers servers, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            all.add(new NodeProcess(servers));
        }
    }

    public NodeProcess get(int index) {
        return all.get(index);
    }

    public int size() {
        return all.size();
    }

    public List<String> askAll(Object... command) throws InterruptedException {
        all.forEach(node -> node.send(command));
        List<String> answers = new ArrayList<>();
        IllegalStateException failure = null;
        for (NodeProcess node : all) {
            try {
                answers.add(node.answer());
            } catch (IllegalStateException e) {
                failure = e; // after the others' answers, which would else be taken for those of the next command
            }
        }
        if (failure != null) {
            throw failure;
        }
        return answers;
    }

    /** Times of several processes can be compared only if nanoTime is one clock for all of them, as on Linux. */
    public void requireCommonClock() throws InterruptedException {
        for (NodeProcess node : all) {
            long before = System.nanoTime();
            long theirs = Long.parseLong(node.ask("clock"));
            long after = System.nanoTime();
            if (theirs - before < 0 || after - theirs < 0) {
                throw new IllegalStateException("System.nanoTime() is not the same clock in all processes here");
            }
        }
    }

    @Override
    public void close() {
        all.forEach(NodeProcess::close);
    }
}
