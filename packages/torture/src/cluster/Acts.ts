import type { Chance } from "@atrium/api/testing/Chance"
import { sleep } from "@atrium/api/testing/load/Tasks"

import type { Runners } from "./Runners.ts"

export const ActKinds = ["postgres", "kill", "drain", "freeze"] as const
/** Something that is done to one runner or to the database, or kills of one to three runners at once. */
export type ActKind = (typeof ActKinds)[number] | "kills"

/** Something that was done, and when it was over. Moments are of `performance.now()`. */
export interface Act {
  readonly kind: ActKind
  readonly atMs: number
  /** The runner goes on, or PostgreSQL takes connections. */
  readonly untilMs: number
  /** Rooms that were awake on the runners that it was done to. */
  readonly rooms: number
  /** Connections of those runners. */
  readonly sockets: number
  /** Rooms that were awake on any runner. */
  readonly awake: number
  /** How a runner that was asked to end did so. */
  readonly end: End | null
  /** Whether every other runner said that it was ready at every look. */
  readonly othersReady: boolean
}

export const frozenMs = 20_000
const awayMs = 4_000
const downMs = 6_000
const looksEveryMs = 400
/** Runners that are killed at once, at most. */
const killsMax = 3

interface End {
  readonly code: number | null
  readonly ms: number
  /** Lines that it wrote from the signal on. */
  readonly lines: ReadonlyArray<string>
}

/** Looks at the other runners for as long as something is done to some. */
const watchOthers = (runners: Runners, at: ReadonlyArray<number>) => {
  let ready = true
  const looks = setInterval(() => {
    for (const [index, url] of runners.urls.entries()) {
      if (at.includes(index)) continue
      void fetch(`${url}/ready`, { signal: AbortSignal.timeout(3_000) }).then(
        ({ status }) => (ready &&= status === 200),
        () => (ready = false)
      )
    }
  }, looksEveryMs)
  return () => {
    clearInterval(looks)
    return ready
  }
}

/** Does it to the runner with the most rooms, to random ones, or to the database; waits until that is over. */
export const perform = async (kind: ActKind, runners: Runners, chance: Chance): Promise<Act> => {
  const [rooms, sockets] = [await runners.roomsAwake(), await runners.sockets()]
  const busiest = rooms.indexOf(Math.max(...rooms))
  const at = kind === "kills" ? drawn(rooms.length, chance) : [busiest]
  const watched = kind === "postgres" ? () => true : watchOthers(runners, at)
  const atMs = performance.now()
  const end =
    kind === "kills" ? await killAll(runners, at, chance) : await actions[kind](runners, busiest)
  const untilMs = performance.now()
  const there = (figures: ReadonlyArray<number>) => sumOf(at.map((index) => figures[index] ?? 0))
  const act = { kind, atMs, untilMs, rooms: there(rooms), sockets: there(sockets) }
  return { ...act, awake: sumOf(rooms), end, othersReady: watched() }
}

const sumOf = (values: ReadonlyArray<number>): number => values.reduce((sum, each) => sum + each, 0)

/** One to three runners, by chance. */
const drawn = (count: number, chance: Chance): ReadonlyArray<number> => {
  const left = Array.from({ length: count }, (_, at) => at)
  return Array.from({ length: 1 + chance.below(killsMax) }, () =>
    left.splice(chance.below(left.length), 1)
  ).flat()
}

/** Each comes back after a while of its own. */
const killAll = async (
  runners: Runners,
  at: ReadonlyArray<number>,
  chance: Chance
): Promise<null> => {
  const spans = at.map((index) => ({ index, ms: chance.below(downMs) }))
  await Promise.all(
    spans.map(async ({ index, ms }) => {
      await ends(runners, index, "SIGKILL")
      await sleep(ms)
      await runners.again(index)
    })
  )
  return null
}

const ends = async (runners: Runners, at: number, signal: NodeJS.Signals): Promise<End> => {
  const service = runners.service(at)
  const before = service.output().length
  const fromMs = performance.now()
  const code = await runners.end(at, signal)
  const lines = service
    .output()
    .slice(before)
    .split("\n")
    .filter((line) => line !== "")
  return { code, ms: performance.now() - fromMs, lines }
}

const actions: Record<
  (typeof ActKinds)[number],
  (runners: Runners, at: number) => Promise<Act["end"]>
> = {
  postgres: async ({ database }) => {
    await database.kill()
    await sleep(awayMs)
    await database.start()
    return null
  },
  kill: async (runners, at) => {
    await ends(runners, at, "SIGKILL")
    await sleep(downMs)
    await runners.again(at)
    return null
  },
  drain: async (runners, at) => {
    const end = await ends(runners, at, "SIGTERM")
    await runners.again(at)
    return end
  },
  freeze: async (runners, at) => {
    runners.freeze(at, true)
    await sleep(frozenMs)
    runners.freeze(at, false)
    await sleep(downMs)
    const end = await ends(runners, at, "SIGTERM")
    await runners.again(at)
    return end
  }
}
