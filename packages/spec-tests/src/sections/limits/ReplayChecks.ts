import type { Probe } from "../../check/Check.ts"
import { onHeldClock } from "../../families/HeldClock.ts"
import { type ReplayStage, withReplays } from "../../trial/ReplayStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { minuteMs } from "../Units.ts"

/** Makes the check of a row, whose numbers it reads when it runs. */
export type ProbeMaker = () => Probe

type Run = (stage: ReplayStage, trial: Trial) => Promise<void>

/** A check that moves time. */
export const timedReplay = (title: string, run: Run): Probe => ({
  title,
  alone: true,
  needs: ["clock"],
  timeoutMs: 120_000,
  run: withReplays((stage, trial) => onHeldClock(trial, minuteMs, () => run(stage, trial)))
})

/** A check that takes as long as its bytes. */
export const sizedReplay = (title: string, run: Run): Probe => ({
  title,
  timeoutMs: 120_000,
  run: withReplays(run)
})
