import { setTimeout as sleep } from "node:timers/promises"

import { endpointOf } from "@atrium/sdk/client/Endpoint"
import { MinuteMs, SecondMs } from "@atrium/wire/limits/Limit"
import { Result } from "effect"

import { cpuSecondsOf, memoryBytesOf, untilQuiet } from "../calibration/ProcessCost.ts"
import { type GeneratorFigures, Generator } from "../load/Generator.ts"
import { seededRandom } from "../load/LoadChance.ts"
import { LoadFigures } from "../load/LoadFigures.ts"
import { loadMessages } from "../load/LoadMessages.ts"
import { type LoadPlan, loadPlan } from "../load/LoadPlan.ts"
import { LoadRooms } from "../load/LoadRooms.ts"
import { LoadRun } from "../load/LoadRun.ts"
import { mintedTokens } from "../load/LoadTokens.ts"
import type { Scenario } from "../scenario/Scenario.ts"
import type { Taken } from "./Compared.ts"
import { validatedSchema, validatedType } from "./ValidatedGame.ts"

/** A service that is loaded, and the project of its rooms. */
export interface Loaded {
  readonly pid: number
  readonly url: string
  readonly project: string
}

/** What a load test measured. */
export interface MeasuredTaken extends Taken {
  readonly players: number
  readonly refused: number
  readonly generator: GeneratorFigures
}

/** Five minutes, so that the crowd has a whole minute; else one minute at the peak. */
const spanMs = { crowd: 5 * MinuteMs, even: 100 * SecondMs } as const
const hasCrowd = ({ events }: Scenario): boolean => events.some(({ kind }) => kind === "flashCrowd")

/** Phases follow from players and events, as the plan does: those of `load` are another story. */
export const validatedPlan = (scenario: Scenario): LoadPlan => {
  const { load: _, ...others } = scenario
  return loadPlan(others, {
    scale: 1,
    forMs: hasCrowd(scenario) ? spanMs.crowd : spanMs.even
  })
}

/** The phase that is measured, from its beginning to its end. */
const windowOf = (
  { phases }: LoadPlan,
  name: string
): { readonly fromMs: number; readonly toMs: number } => {
  let fromMs = 0
  for (const phase of phases) {
    if (phase.name === name) return { fromMs, toMs: fromMs + phase.durationMs }
    fromMs += phase.durationMs
  }
  throw new Error(`the run has no phase ${name}`)
}

/** Plays the scenario once and measures the service in the flash crowd, or else at the peak. */
export const measuredTaken = async (
  scenario: Scenario,
  loaded: Loaded,
  round: number
): Promise<MeasuredTaken> => {
  const { pid, url, project } = loaded
  const plan = validatedPlan(scenario)
  const window = windowOf(plan, hasCrowd(scenario) ? "flash crowd" : "peak")
  const schema = validatedSchema(scenario)
  const figures = new LoadFigures()
  const generator = new Generator()
  await untilQuiet(pid)
  const run = new LoadRun({
    plan,
    session: scenario.session,
    name: `${validatedType}-${round}`,
    rooms: new LoadRooms(`${validatedType}-${round}`, scenario.game.maxClients),
    game: {
      endpoint: endpointOf(url),
      project,
      schema,
      messages: Result.getOrThrow(loadMessages(schema, scenario.game.up)),
      up: scenario.game.up,
      rejoinAfterDrop: scenario.session.rejoinAfterDrop,
      tokens: mintedTokens(url, project),
      random: seededRandom(round),
      figures
    }
  })
  const over = run.run()
  await sleep(Math.max(0, window.fromMs - run.elapsedMs))
  const before = { atMs: run.elapsedMs, cpu: cpuSecondsOf(pid).tree, bytes: figures.bytesIn }
  const middleMs = (window.fromMs + window.toMs) / 2
  await sleep(Math.max(0, middleMs - run.elapsedMs))
  const memoryBytes = memoryBytesOf(pid)
  generator.look()
  await sleep(Math.max(0, window.toMs - run.elapsedMs))
  generator.look()
  const seconds = (run.elapsedMs - before.atMs) / SecondMs
  const taken = {
    cpuCores: (cpuSecondsOf(pid).tree - before.cpu) / seconds,
    memoryBytes,
    egressBytesPerSecond: (figures.bytesIn - before.bytes) / seconds
  }
  run.stop()
  await over
  await run.leave()
  return {
    ...taken,
    players: figures.playersMost,
    refused: figures.refused.total,
    generator: generator.figures
  }
}
