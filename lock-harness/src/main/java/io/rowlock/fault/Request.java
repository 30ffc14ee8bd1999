package io.rowlock.fault;

import java.util.Set;

/** What a client asked its server, or a server sent by itself; it is shown in reports. */
interface Request {
    /** What can happen to it that is worth a run in every build. */
    Set<Fault> faults();

    /** All that can happen to it. */
    default Set<Fault> allFaults() {
        return faults();
    }
}
