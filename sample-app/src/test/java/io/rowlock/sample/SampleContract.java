package io.rowlock.sample;

/** What the sample does, on any server. One application and its nodes serve all of it. */
abstract class SampleContract extends RunningSample
        implements SaleChecks,
                LoanChecks,
                JobsChecks,
                PartitionChecks,
                RaceChecks,
                PauseChecks,
                InputChecks,
                ShownChecks {}
