package io.rowlock.cluster;

import io.rowlock.store.jdbc.session.Cluster;
import io.rowlock.test.ClusterKind;
import io.rowlock.test.OnCluster;

@OnCluster(ClusterKind.MULTI_PRIMARY)
class MultiPrimaryTests extends SeveralWritersContract {
    MultiPrimaryTests() {
        super(Cluster.MULTI_PRIMARY);
    }
}
