import { type DatabaseSession, openEmbeddedDatabase } from "@atrium/api/testing/DatabaseSession"
import { makeHome, type RunningService } from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { Client, type ClientRoom, JoinError } from "@atrium/sdk/client"
import { mayReconnect } from "@atrium/wire/frames/Closing"

import {
  growthOf,
  measured,
  memoryLeaks,
  mibText,
  objectLeaks,
  type Sample,
  type Standing,
  standingLeaks
} from "./LeakJudgement.ts"
import { sleeper } from "./rooms/soakSchema.ts"
import { inspectable, ServiceInspector } from "./ServiceInspector.ts"
import { anonBytesOf, openFilesOf, serviceProcesses } from "./ServiceProcesses.ts"
import { SleepWatch } from "./SleepWatch.ts"
import { makeSoakProject } from "./SoakProject.ts"
import { databaseBytes, objectsByRoom, rowsByTable } from "./StoredCounts.ts"

export interface CyclesOptions {
  readonly cycles: number
  /** Rooms that are used at the same time. */
  readonly workers: number
  say(line: string): void
}

export interface CyclesResult {
  readonly cycles: number
  readonly perSecond: number
  readonly refusals: number
  readonly samples: ReadonlyArray<Sample>
  readonly before: Standing
  readonly after: Standing
  /** Leaks and wrong states, one sentence each; empty = the run passed. */
  readonly faults: ReadonlyArray<string>
}

/** Samples of one run. */
const samplesMax = 40
/** Before it, start-up is still under way: caches fill, code is compiled. */
const warmUpShare = 1 / 20
const joinedWithinMs = 15 * 1000
const asleepWithinMs = 30_000
const settleWithinMs = 30_000
/** The connection of this process to PostgreSQL. */
const ownBackend = 1

interface Watched {
  readonly service: RunningService
  readonly project: string
  readonly database: DatabaseSession
  readonly inspector: ServiceInspector
}

/** Starts a service, wakes rooms and lets them sleep, and looks at what that leaves behind. */
export const runCycles = async (options: CyclesOptions): Promise<CyclesResult> => {
  const home = await makeHome("embedded")
  try {
    const service = await home.start({ env: inspectable })
    const project = await makeSoakProject(service, "sleeperRoom")
    const database = await openEmbeddedDatabase(home.dataDir)
    const inspector = await ServiceInspector.open(service)
    try {
      return await cyclesOn({ service, project, database, inspector }, options)
    } finally {
      inspector.close()
      await database.close()
      await service.stop()
    }
  } finally {
    await home.remove()
  }
}

const cyclesOn = async (watched: Watched, options: CyclesOptions): Promise<CyclesResult> => {
  const { cycles, say } = options
  const rooms = Array.from({ length: options.workers }, (_, at) => `soak-${at + 1}`)
  const workers = rooms.map((roomId) => new Cycler(watched, roomId))
  const sleep = new SleepWatch(watched.database)
  const samples: Array<Sample> = []
  const before = await standing(watched)
  let done = 0
  let busyMs = 0
  for (const batch of batchesOf(options)) {
    const startedAtMs = performance.now()
    let left = batch
    const work = async (worker: Cycler): Promise<void> => {
      while (left > 0) {
        left -= 1
        await worker.turn(sleep)
      }
    }
    await Promise.all(workers.map(work))
    busyMs += performance.now() - startedAtMs
    done += batch
    const sample = await weigh(watched, done)
    samples.push(sample)
    say(`${progressOf(sample, cycles)}  ${((done / busyMs) * 1000).toFixed(1)} cycles/s`)
  }
  const used = workers.filter((worker) => worker.turns > 0).length
  let after = await standing(watched)
  const settled = () => standingLeaks(before, after, used)
  await until(
    "nothing is left",
    async () => {
      after = await standing(watched)
      return settled().length === 0
    },
    settleWithinMs
  ).catch(() => undefined)
  const stored = await objectsByRoom(watched.database)
  const faults = [
    ...settled(),
    ...objectLeaks(stored, rooms.slice(0, used)),
    ...memoryLeaks(samples)
  ]
  const refusals = workers.reduce((sum, worker) => sum + worker.refusals, 0)
  return {
    cycles: done,
    perSecond: (done / busyMs) * 1000,
    refusals,
    samples,
    before,
    after,
    faults
  }
}

/** The first is short, so that the caches that it fills are no growth. */
const batchesOf = ({ cycles, workers }: CyclesOptions): ReadonlyArray<number> => {
  const first = Math.max(1, Math.round(cycles * warmUpShare))
  // Each batch ends when its last room sleeps: in short ones most workers wait.
  const size = Math.max(4 * workers, Math.ceil((cycles - first) / samplesMax))
  const batches = [first]
  for (let left = cycles - first; left > 0; left -= size) batches.push(Math.min(left, size))
  return batches
}

/** One room and the player who comes and goes. */
class Cycler {
  /** Turns that the room has answered. */
  turns = 0
  /** Joins that were told to come again. */
  refusals = 0
  readonly #client: Client
  readonly #roomId: string

  constructor({ service, project }: Watched, roomId: string) {
    this.#client = new Client(service.url, { project })
    this.#roomId = roomId
  }

  /** Join, leave, sleep: the state has come back, and from the store, or this rejects. */
  async turn(sleep: SleepWatch): Promise<void> {
    const room = await this.#join()
    const answer = await room.request("turn", {})
    this.turns += 1
    await room.leave()
    if (answer.turns !== this.turns || answer.wakes !== this.turns) {
      const text = `${answer.turns} turns and ${answer.wakes} wakes`
      throw new Error(`${this.#roomId}: ${text} in its state after ${this.turns} of them`)
    }
    await sleep.asleep(this.#roomId, asleepWithinMs)
  }

  /** A busy service may ask to come again; that is its right, a few times. */
  async #join(): Promise<ClientRoom<typeof sleeper>> {
    const deadlineAtMs = performance.now() + joinedWithinMs
    for (;;) {
      try {
        return await this.#client.joinOrCreate(sleeper, { roomId: this.#roomId })
      } catch (error) {
        const code = error instanceof JoinError ? error.closeCode : null
        if (code === null || !mayReconnect(code) || performance.now() > deadlineAtMs) throw error
        this.refusals += 1
      }
    }
  }
}

const weigh = async ({ service, inspector }: Watched, cycles: number): Promise<Sample> => {
  const { heapBytes } = await inspector.look()
  const database = serviceProcesses(service.pid).filter(({ kind }) =>
    ["postmaster", "backend", "databaseWorker"].includes(kind)
  )
  return {
    cycles,
    heapBytes,
    anonBytes: anonBytesOf(service.pid),
    backendBytes: Math.max(...database.map(({ pid }) => anonBytesOf(pid)))
  }
}

const standing = async ({ service, inspector, database }: Watched): Promise<Standing> => {
  const { timers } = await inspector.look()
  const all = serviceProcesses(service.pid)
  const processes: Record<string, number> = {}
  for (const { kind } of all) processes[kind] = (processes[kind] ?? 0) + 1
  const launchers = all.filter(({ kind }) => kind === "launcher")
  const files = [service.pid, ...launchers.map(({ pid }) => pid)]
    .map(openFilesOf)
    .reduce((sum, count) => sum + count, 0)
  // The service holds one file for each database backend and three for each room process.
  const owned = (processes["backend"] ?? 0) - ownBackend + 3 * (processes["room"] ?? 0)
  return {
    processes,
    files: files - owned,
    timers,
    rows: await rowsByTable(database),
    databaseBytes: await databaseBytes(database)
  }
}

const progressOf = (sample: Sample, cycles: number): string => {
  const mib = (bytes: number): string => mibText(bytes).padStart(6)
  return [
    `${sample.cycles}`.padStart(String(cycles).length),
    `of ${cycles}  heap ${mib(sample.heapBytes)} MiB  anon ${mib(sample.anonBytes)} MiB`,
    ` backend ${mib(sample.backendBytes)} MiB`
  ].join(" ")
}

/** The result for people. */
export const cyclesReport = (result: CyclesResult): ReadonlyArray<string> => {
  const { samples, before, after } = result
  const growth = measured.map((what) => {
    const { perThousandBytes } = growthOf(samples, what)
    return `${what.replace("Bytes", "")} ${mibText(perThousandBytes)}`
  })
  const counts = (standing: Standing): string =>
    Object.entries(standing.processes)
      .map(([kind, count]) => `${kind} ${count}`)
      .toSorted()
      .join(", ")
  return [
    `${result.cycles} cycles, ${result.perSecond.toFixed(1)} a second; each found its state; ${result.refusals} joins were told to come again`,
    `MiB per 1,000 cycles: ${growth.join(", ")}`,
    `processes before: ${counts(before)}`,
    `processes after:  ${counts(after)}`,
    `files ${before.files} -> ${after.files}, timers ${before.timers} -> ${after.timers}`,
    `rows: ${Object.entries(after.rows)
      .map(([table, count]) => `${table} ${count}`)
      .join(", ")}`,
    `database ${mibText(before.databaseBytes)} -> ${mibText(after.databaseBytes)} MiB`
  ]
}
