package io.rowlock.stress;

import io.rowlock.test.ClusterKind;
import io.rowlock.test.OnCluster;

@OnCluster(ClusterKind.GALERA)
class GaleraStressTests extends ClusterStressContract {}
