package io.rowlock.cluster;

import io.rowlock.test.ClusterKind;
import io.rowlock.test.OnCluster;

@OnCluster(ClusterKind.MULTI_PRIMARY)
class MultiPrimaryTests extends ManyWritersContract {}
