package io.rowlock.sample;

import io.rowlock.sample.jobs.JobsChecks;
import io.rowlock.sample.loan.LoanChecks;
import io.rowlock.sample.partitions.PartitionChecks;
import io.rowlock.sample.pause.PauseChecks;
import io.rowlock.sample.race.RaceChecks;
import io.rowlock.sample.report.ReportChecks;
import io.rowlock.sample.sale.SaleChecks;
import io.rowlock.sample.stage.InputChecks;
import io.rowlock.test.OnServerOfBuild;

/** Checks the sample, whose nodes also come, go and stand still. One application and its nodes serve all of it. */
@OnServerOfBuild
class SampleTests extends RunningSample
        implements SaleChecks,
                LoanChecks,
                ReportChecks,
                RaceChecks,
                InputChecks,
                ShownChecks,
                JobsChecks,
                PartitionChecks,
                PauseChecks {}
