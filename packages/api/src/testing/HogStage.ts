import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

import { type ExitCause } from "@atrium/actors/process/ExitCause"
import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { until } from "@atrium/domain/testing/Until"
import { FromRoom } from "@atrium/runtime/host/HostFrames"
import { bundleRooms } from "@atrium/sdk/bundle"
import { Client, type ClientRoom } from "@atrium/sdk/client"

import type { HogCase } from "./HogCases.ts"
import { sleep } from "./load/Tasks.ts"
import { type Lateness, makeNeighbour } from "./Neighbour.ts"
import { descendantsOf } from "./ProcessTree.ts"
import { hog } from "./rooms/hogSchema.ts"
import { metricsText } from "./Runners.ts"
import { call, type RunningService } from "./RunningService.ts"

/** What one hog did, and what it did to others. */
export interface HogReport {
  /** The neighbour before it, and while it went on. */
  readonly undisturbed: Lateness
  readonly disturbed: Lateness
  readonly name: string
  /** `null` = the room went on. */
  readonly endedAs: string | null
  /** From the order to the end that the service logged. */
  readonly endedAfterMs: number | null
  /** Exits of that cause, by `/metrics`: before and after. */
  readonly exits: { readonly before: number; readonly after: number }
  /** What the room said of itself, if it did. */
  readonly said: string
  /** The durable counter, before and after. */
  readonly stored: { readonly before: number; readonly after: number; readonly creations: number }
  /** The most that any room process had, in MiB. */
  readonly peakMiB: number
  /** The most that the process that maps stacks had, in MiB. */
  readonly mapperPeakMiB: number
  /** The most that the service itself had, in MiB. */
  readonly servicePeakMiB: number
}

const SampleEveryMs = 20
/** A hog that its room survives is watched for as long as this. */
const WatchMs = 1000
/** What the neighbour does without a hog is measured before each: then both know the same noise. */
const BeforeMs = 500

/** A service with hogs deployed, and a neighbour in a room of its own that keeps time. */
export interface HogStage {
  run(hogCase: HogCase): Promise<HogReport>
  leave(): Promise<void>
}

/**
 * Room code with a way to say to the service what it wants: what no bundle of ours does. A line of its
 * own is as long as a frame may make it.
 */
const lying = `
;{
  const { connect, rooms } = module.exports
  const lying = (port, exported) => {
    globalThis.lieToService = () => port.send(new Uint8Array([1, 0, 0, 0, 255]))
    globalThis.sayToService = (line) => {
      const frame = new Uint8Array(10 + line.length)
      const view = new DataView(frame.buffer)
      view.setUint32(0, 6 + line.length, true)
      frame.set([${FromRoom.log}, 0], 4)
      view.setUint32(6, line.length, true)
      frame.set(new TextEncoder().encode(line), 10)
      port.send(frame)
    }
    globalThis.beginFrame = () => {
      // 16 MiB are announced, one less come.
      port.send(new Uint8Array([0, 0, 0, 1, 40]))
      const piece = new Uint8Array(1024 * 1024)
      for (let sent = 0; sent < 15; sent++) port.send(piece)
    }
    return connect(port, exported)
  }
  module.exports = { connect: lying, rooms }
}
`

/** The most segments that a map may have that is read at all: 4 million. */
export const bombComment = (): string => {
  const segments = Math.floor((LogLimits.sourceMapBytes.max - 200) / 2)
  const map = { version: 3, sources: ["room.ts"], names: [], mappings: "A,".repeat(segments) }
  const base64 = Buffer.from(JSON.stringify(map)).toString("base64")
  return `//# sourceMappingURL=data:application/json;base64,${base64}\n`
}

interface HogProject {
  /** The source map is a bomb. */
  readonly bomb?: boolean
  /** Absent = those of the stage, whose hogs have processes of their own. */
  readonly entries?: ReadonlyArray<string>
}

/** A service, seen from a project that has these rooms deployed. */
export const hogProject = async <Running extends Omit<RunningService, "stop">>(
  running: Running,
  { bomb = false, entries = ["hog.ts", "metronome.ts", "broken.ts"] }: HogProject = {}
): Promise<Running> => {
  const { url, token } = running
  const made = await call(url, "/v1/projects", { token, body: { name: "hogs" } })
  const service = { ...running, url, token, project: String(made.body["id"]) }

  const resolveDir = fileURLToPath(new URL("./rooms", import.meta.url))
  const bundle = await bundleRooms({ entries, resolveDir })
  const text = Buffer.from(bundle.bytes).toString()
  const mapAt = text.lastIndexOf("//# sourceMappingURL=")
  if (mapAt === -1) throw new Error("the bundle of the stage has no source map")
  const map = bomb ? bombComment() : text.slice(mapAt)
  const body = text.slice(0, mapAt) + lying + map
  const answer = await fetch(`${service.url}/v1/projects/${service.project}/deployments`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${service.token}`,
      "content-type": "application/javascript"
    },
    body
  })
  if (answer.status !== 201) throw new Error(`not deployed: ${await answer.text()}`)
  return service
}

/** @param service of {@link hogProject} */
export const makeHogStage = async (service: RunningService): Promise<HogStage> => {
  const bombs = await hogProject(service, { bomb: true })
  const clientOf = ({ bomb }: HogCase): Client =>
    new Client(service.url, { project: bomb === true ? bombs.project : service.project })
  const { lateness, leave } = await makeNeighbour(service)

  const run = async (hogCase: HogCase): Promise<HogReport> => {
    const roomId = `hog-${hogCase.name}`
    const room = await clientOf(hogCase).joinOrCreate(hog, { roomId })
    let said = ""
    room.onMessage("done", ({ what }) => (said = what))
    const before = (await room.request("count", { by: 7 })).value
    const memory = watchMemory(service.pid)
    await lateness()
    await sleep(BeforeMs)
    const undisturbed = await lateness()
    const exitsBefore = await exitCounts(service.url)
    const beginMs = performance.now()
    const logFrom = service.output().length
    room.send("run", { what: hogCase.name })
    const watchMs = hogCase.ends === null ? WatchMs + hogCase.withinMs : 4 * hogCase.withinMs
    const ended = await endOf({ service, roomId, logFrom }, beginMs + watchMs)
    const disturbed = await lateness()
    const peaks = memory.stop()
    const after = await counterOf(room)
    const { creations } = room.state.counter
    const exitsAfter = await exitCounts(service.url)
    const count = (counts: ReadonlyMap<string, number>) => counts.get(ended?.cause ?? "") ?? 0
    await room.leave()
    return {
      ...peaks,
      name: hogCase.name,
      said,
      undisturbed,
      disturbed,
      endedAs: ended?.cause ?? null,
      exits: { before: count(exitsBefore), after: count(exitsAfter) },
      endedAfterMs: ended === null ? null : ended.atMs - beginMs,
      stored: { before, after, creations }
    }
  }

  return { run, leave }
}

/** Asks a room that may be on its way back, until it answers. */
export const answered = <A>(ask: () => Promise<A>): Promise<A> =>
  until("an answer", async () => {
    try {
      return await ask()
    } catch {
      return null
    }
  })

/** The durable counter of a room that may be on its way back. */
export const counterOf = async (room: ClientRoom<typeof hog>): Promise<number> =>
  (await answered(() => room.request("count", { by: 0 }, { timeoutMs: 2000 }))).value

interface Awaited {
  readonly service: RunningService
  readonly roomId: string
  readonly logFrom: number
}

/** The end of a room's process that the service logs; `null` when none comes in time. */
const endOf = async (
  { service, roomId, logFrom }: Awaited,
  untilMs: number
): Promise<{ readonly cause: string; readonly atMs: number } | null> => {
  while (performance.now() < untilMs) {
    const cause = loggedEnd(service.output().slice(logFrom), roomId)
    if (cause !== null) return { cause, atMs: performance.now() }
    await sleep(10)
  }
  return null
}

/** Causes of all ends of a room's processes that the service has logged, the oldest first. */
export const loggedEnds = (log: string, roomId: string): ReadonlyArray<ExitCause> =>
  log
    .split("\n")
    .filter((text) => text.includes("process ended: ") && text.includes(`room=${roomId}`))
    // Written by the service itself.
    .flatMap((line) => (/process ended: (\w+)/.exec(line)?.slice(1) ?? []) as Array<ExitCause>)

/** Cause of the last of them; `null` = none has ended. */
export const loggedEnd = (log: string, roomId: string): ExitCause | null =>
  loggedEnds(log, roomId).at(-1) ?? null

/** Room processes that ended so far, by cause, as `/metrics` has them. */
export const exitCounts = async (url: string): Promise<ReadonlyMap<string, number>> => {
  const text = await metricsText({ url })
  const lines = text.matchAll(/^atrium_room_exits_total\{cause="(\w+)"\} (\d+)/gm)
  return new Map(Array.from(lines, ([, cause = "", count]) => [cause, Number(count)]))
}

/** Looks at the memory of every process of the service, again and again. */
const watchMemory = (servicePid: number) => {
  let peakMiB = 0
  let mapperPeakMiB = 0
  let servicePeakMiB = 0
  let looks = 0
  let pids = descendantsOf(servicePid)
  const look = (): void => {
    if (looks++ % 10 === 0) pids = descendantsOf(servicePid)
    for (const pid of pids) {
      if (isMapper(pid)) mapperPeakMiB = Math.max(mapperPeakMiB, anonMiB(pid))
      else peakMiB = Math.max(peakMiB, anonMiB(pid))
    }
    servicePeakMiB = Math.max(servicePeakMiB, anonMiB(servicePid))
  }
  const timer = setInterval(look, SampleEveryMs)
  return {
    stop: () => {
      clearInterval(timer)
      return { peakMiB, mapperPeakMiB, servicePeakMiB }
    }
  }
}

/** The process that maps stacks has its program on its command line. */
const isMapper = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("mapBytes")
  } catch {
    // It has ended.
    return false
  }
}

export const anonMiB = (pid: number): number => {
  try {
    const found = /^RssAnon:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))
    return Number(found?.[1] ?? 0) / 1024
  } catch {
    // It has ended.
    return 0
  }
}
