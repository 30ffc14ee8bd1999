package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.contender.Locks;
import io.rowlock.benchmark.contender.Worker;

/** Takes a key and gives it back. */
record PairLoop(Worker worker, String key) implements Load.Loop {

    static PairLoop of(Locks locks, String key) throws Exception {
        Worker worker = locks.worker();
        worker.prepare(key);
        return new PairLoop(worker, key);
    }

    @Override
    public void once() throws Exception {
        worker.lock(key);
        worker.unlock();
    }

    @Override
    public void close() throws Exception {
        worker.close();
    }
}
