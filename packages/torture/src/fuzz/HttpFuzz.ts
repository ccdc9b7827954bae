import { type RunningService } from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"

import { openFilesOf } from "../soak/ServiceProcesses.ts"
import { HttpAsker } from "./http/HttpAsker.ts"
import { makeHttpStage } from "./http/HttpStage.ts"
import { changesBetween, storedTables } from "./http/StoredTables.ts"
import { inOrder } from "./InOrder.ts"
import { faultsIn } from "./ServiceLog.ts"
import { makeStage } from "./ServiceUnderFire.ts"
import type { Tally } from "./Tally.ts"
import { Witness } from "./Witness.ts"

const AsksAtOnce = 8
/** Changes and lines that are told; the rest is a number. */
const ToldMax = 10

/** A service to ask, at rest, with a database that can be read past it. */
export interface Fuzzed {
  readonly service: RunningService
  readonly databaseUrl: string
}

interface HttpRun {
  readonly seed: number
  /** How many cases, each of which is one request or one talk. */
  readonly requests: number
  /** A moment of `performance.now()` after which nothing is begun. */
  readonly endsAtMs: number
  readonly tally: Tally
  say(line: string): void
}

/** The result of a run, beyond the faults of single cases. */
export interface HttpFindings {
  readonly problems: ReadonlyArray<string>
  /** Requests to each route of the contract, by its name. */
  readonly asked: ReadonlyMap<string, number>
}

/** One case again. */
export const askOnce = async (
  { service }: Fuzzed,
  { seed, index }: { readonly seed: number; readonly index: number },
  tally: Tally
): Promise<void> => new HttpAsker(await makeHttpStage(service), tally).askOne(seed, index)

/**
 * Asks the service wrongly in every way there is, beside a room whose client goes on playing. Nothing
 * that is stored may change, and no secret that was sent may be told.
 */
export const fuzzHttp = async (
  { service, databaseUrl }: Fuzzed,
  { seed, requests, endsAtMs, tally, say }: HttpRun
): Promise<HttpFindings> => {
  const beside = await makeStage(service)
  const witness = await Witness.start(beside)
  const stage = await makeHttpStage(service)
  const asker = new HttpAsker(stage, tally)
  const before = await storedTables(databaseUrl, beside.project)
  const files = openFilesOf(service.pid)
  await inOrder((index) => asker.askOne(seed, index), {
    atOnce: AsksAtOnce,
    more: (index) => index < requests && performance.now() < endsAtMs
  })
  const after = await storedTables(databaseUrl, beside.project)
  const open = await filesLeft(service.pid, files)
  await witness.stop()
  witness.leave()
  say(`beside: ${witness.line}`)
  const output = service.output()
  const told = Object.entries(stage.secrets).filter(([, secret]) => output.includes(secret))
  const log = faultsIn(output, { fuzzed: beside.project, hostile: beside.hostileProject })
  return {
    problems: [
      ...changesBetween(before, after).slice(0, ToldMax),
      ...told.map(([kind]) => `in the log: the secret ${kind}`),
      ...log.slice(0, ToldMax).map((line) => `in the log: ${line}`),
      ...(witness.says === null ? [] : [witness.says]),
      ...open
    ],
    asked: new Map(asker.rows.routes.map(({ name }) => [name, asker.askedOf(name)]))
  }
}

/** Connections to PostgreSQL come and go by themselves. */
const FilesGrowthMax = 12
/** Longer than any connection stays that is no good. */
const FilesGoneMs = 16_000

/** Connections that are still there when nobody is at their other end. */
const filesLeft = async (pid: number, before: number): Promise<ReadonlyArray<string>> => {
  const gone = (): boolean => openFilesOf(pid) <= before + FilesGrowthMax
  return until("connections end", gone, FilesGoneMs).then(
    () => [],
    () => [`open files went from ${before} to ${openFilesOf(pid)}`]
  )
}
