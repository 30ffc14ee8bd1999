package io.rowlock.client.queue;

import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.client.request.ResolvedRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * A request for one of several.
 *
 * @param request what is asked for
 * @param terms its keys
 */
public record Wanted(LockRequest request, List<ResolvedRequest> terms) {
    /** In the same order, those that follow one another and can be asked for at once together. */
    public static List<List<Wanted>> runs(List<Wanted> all) {
        List<List<Wanted>> runs = new ArrayList<>();
        for (Wanted next : all) {
            List<Wanted> last = runs.isEmpty() ? List.of() : runs.get(runs.size() - 1);
            if (!next.fits(last)) {
                last = new ArrayList<>();
                runs.add(last);
            }
            last.add(next);
        }
        return runs;
    }

    /** The one of a run that asked for a key. */
    public static LockRequest requestOf(List<Wanted> run, String key) {
        return run.stream()
                .filter(wanted -> wanted.key().name().equals(key))
                .findFirst()
                .orElseThrow()
                .request();
    }

    private boolean fits(List<Wanted> run) {
        if (run.isEmpty() || !isSimple() || !run.get(0).isSimple()) {
            return false;
        }
        ResolvedRequest first = run.get(0).key();
        return run.size() < first.store().capabilities().keysAtOnce()
                && first.store() == key().store()
                && first.ttl().equals(key().ttl())
                && run.stream().noneMatch(other -> other.key().id().equals(key().id()));
    }

    private boolean isSimple() {
        return terms.size() == 1 && key().mode() == LockMode.EXCLUSIVE;
    }

    public ResolvedRequest key() {
        return terms.get(0);
    }
}
