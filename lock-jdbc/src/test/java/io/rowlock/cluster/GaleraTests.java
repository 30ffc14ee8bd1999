package io.rowlock.cluster;

import io.rowlock.store.jdbc.session.Cluster;
import io.rowlock.test.ClusterKind;
import io.rowlock.test.OnCluster;

@OnCluster(ClusterKind.GALERA)
class GaleraTests extends SeveralWritersContract {
    GaleraTests() {
        super(Cluster.GALERA);
    }
}
