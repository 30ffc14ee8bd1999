package io.rowlock.sample;

import io.rowlock.sample.jobs.JobsChecks;
import io.rowlock.sample.partitions.PartitionChecks;
import io.rowlock.sample.pause.PauseChecks;
import io.rowlock.test.OnServerOfBuild;

/** Checks the sample when nodes come, go and stand still, with an application and nodes of its own. */
@OnServerOfBuild
class NodesTests extends RunningSample implements JobsChecks, PartitionChecks, PauseChecks {}
