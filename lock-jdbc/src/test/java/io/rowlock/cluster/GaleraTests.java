package io.rowlock.cluster;

import io.rowlock.test.ClusterKind;
import io.rowlock.test.OnCluster;

@OnCluster(ClusterKind.GALERA)
class GaleraTests extends ManyWritersContract {}
