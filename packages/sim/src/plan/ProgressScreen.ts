import { SecondMs } from "@atrium/wire/limits/Limit"
import { Context } from "effect"

import type { PlanProgress } from "./Plan.ts"

/** Where a plan says how far it is. */
interface Shown {
  readonly show: (progress: PlanProgress, tookMs: number) => void
  readonly erase: () => void
}

const eraseLine = "\r\u001b[2K"

/** Nothing is said of the first moments: from so little nobody knows how long it takes. */
const quietMs = SecondMs

/** `run 3 of 20, 12% done, 40 s left`. */
export const progressText = ({ doing, done }: PlanProgress, tookMs: number): string => {
  const leftS = Math.ceil(((tookMs / done) * (1 - done)) / SecondMs)
  return `${doing}, ${Math.floor(done * 100)}% done, ${leftS} s left`
}

/** One line on standard error when that is a terminal; tests have a screen of their own. */
export const ProgressScreen: Context.Reference<Shown> = Context.Reference(
  "@atrium/sim/plan/ProgressScreen",
  {
    defaultValue: () => ({
      show: (progress, tookMs) => {
        if (!process.stderr.isTTY || tookMs < quietMs || progress.done === 0) return
        const width = (process.stderr.columns || 80) - 1
        process.stderr.write(eraseLine + progressText(progress, tookMs).slice(0, width))
      },
      erase: () => {
        if (process.stderr.isTTY) process.stderr.write(eraseLine)
      }
    })
  }
)
