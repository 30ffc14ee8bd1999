package io.rowlock.stress;

import io.rowlock.test.ClusterKind;
import io.rowlock.test.OnCluster;

@OnCluster(ClusterKind.MULTI_PRIMARY)
class MultiPrimaryStressTests extends ClusterStressContract {}
