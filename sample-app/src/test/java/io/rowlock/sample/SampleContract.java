package io.rowlock.sample;

import io.rowlock.sample.jobs.JobsChecks;
import io.rowlock.sample.loan.LoanChecks;
import io.rowlock.sample.partitions.PartitionChecks;
import io.rowlock.sample.pause.PauseChecks;
import io.rowlock.sample.race.RaceChecks;
import io.rowlock.sample.report.ReportChecks;
import io.rowlock.sample.sale.SaleChecks;
import io.rowlock.sample.stage.InputChecks;

/** What the sample does, on any server. One application and its nodes serve all of it. */
abstract class SampleContract extends RunningSample
        implements SaleChecks,
                LoanChecks,
                ReportChecks,
                JobsChecks,
                PartitionChecks,
                RaceChecks,
                PauseChecks,
                InputChecks,
                ShownChecks {}
