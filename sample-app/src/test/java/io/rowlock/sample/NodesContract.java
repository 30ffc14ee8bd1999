package io.rowlock.sample;

import io.rowlock.sample.jobs.JobsChecks;
import io.rowlock.sample.partitions.PartitionChecks;
import io.rowlock.sample.pause.PauseChecks;

/** Checks the sample when nodes come, go and stand still, on any server, with an application and nodes of its own. */
abstract class NodesContract extends RunningSample implements JobsChecks, PartitionChecks, PauseChecks {}
