import { Chance } from "@atrium/api/testing/Chance"

import { CaseContext, type Stage } from "./CaseContext.ts"
import { framingCases } from "./FramingCases.ts"
import { joinCases } from "./JoinCases.ts"
import { roomFrameCases } from "./RoomFrameCases.ts"
import type { SocketCase } from "./SocketCase.ts"
import type { Tally } from "./Tally.ts"
import { upgradeCases } from "./UpgradeCases.ts"

export const socketCases: ReadonlyArray<SocketCase> = [
  ...upgradeCases,
  ...framingCases,
  ...joinCases,
  ...roomFrameCases
]

const weighted = socketCases.flatMap((row) => Array.from({ length: row.weight }, () => row))

/** Longest that a case may take, its own waits included: past it something hangs. */
const CaseMs = 60_000

/** Runs one case: the first run of all is once through the list, so that nothing is left out. */
export const connectOne = async (
  stage: Stage,
  { seed, index }: { readonly seed: number; readonly index: number },
  tally: Tally
): Promise<void> => {
  const chance = Chance.of(seed, "sockets", index)
  const row = socketCases[index] ?? chance.pick(weighted)
  const context = new CaseContext(stage, chance, tally)
  let timer: NodeJS.Timeout | undefined
  const hung = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${CaseMs} ms`)), CaseMs)
  })
  try {
    await Promise.race([row.run(context).finally(() => context.over()), hung])
    tally.count(row.name, "as it should be")
  } catch (error) {
    tally.count(row.name, "fault")
    tally.fault({ part: "sockets", index, says: `${row.name}: ${String(error)}` })
  } finally {
    clearTimeout(timer)
  }
}
