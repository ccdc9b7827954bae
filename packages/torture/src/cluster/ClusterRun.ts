import { Chance } from "@atrium/api/testing/Chance"
import { sleep } from "@atrium/api/testing/load/Tasks"
import { until } from "@atrium/domain/testing/Until"

import type { Drop } from "../soak/Drops.ts"
import type { Attempt, Incident, Violation } from "../soak/Ledger.ts"
import { makeSoakProject } from "../soak/SoakProject.ts"
import { type Act, type ActKind, ActKinds, perform } from "./Acts.ts"
import { startBalancer } from "./Balancer.ts"
import type { ClusterShape } from "./ClusterShape.ts"
import { codedRoom, type PlayedRoom, relayRoom } from "./PlayedRoom.ts"
import { Runners } from "./Runners.ts"

/** Random kills come so often, counted from one to the next. */
const killsEveryMs = 20_000
const answeredWithinMs = 170_000
const finishWithinMs = 40_000
/** The last lines of a runner that ended tell why it took so long. */
const endLines = 12
/** Projects that are made, and rooms that are read, at once. */
const atOnce = 4

/** What clients of a room were told. */
export interface ToldRoom {
  /** Its code tells its processes apart. */
  readonly coded: boolean
  readonly attempts: ReadonlyArray<Attempt>
  readonly drops: ReadonlyArray<Drop>
}

export interface ClusterResult {
  readonly acts: ReadonlyArray<Act>
  readonly rooms: ReadonlyArray<ToldRoom>
  readonly violations: ReadonlyArray<Violation>
  readonly orphans: number
}

interface ClusterOptions {
  readonly shape: ClusterShape
  readonly minutes: number
  readonly acts: ReadonlyArray<ActKind>
  readonly seed?: number
  say(line: string): void
}

/** Real runners on one PostgreSQL, played on while things are done to them one after the other. */
export const runCluster = async (options: ClusterOptions): Promise<ClusterResult> => {
  const runners = await Runners.start(options.shape.runners)
  const balancer = await startBalancer(runners.urls)
  try {
    return await play(runners, balancer.url, options)
  } finally {
    balancer.close()
    await runners.remove()
  }
}

const play = async (
  runners: Runners,
  url: string,
  options: ClusterOptions
): Promise<ClusterResult> => {
  const rooms = await makeRooms({ url, token: runners.service(0).token }, options.shape)
  let [over, stopAtMs] = [false, Number.POSITIVE_INFINITY]
  const ask = { isOver: () => over, mustStop: () => performance.now() > stopAtMs }
  const working = Promise.all(rooms.map((room) => room.work(ask)))
  await until(
    "every client is answered",
    () => rooms.every((room) => room.answered()),
    answeredWithinMs
  )
  const acts = await performAll(runners, options)
  await sleep(options.shape.calmMs)
  over = true
  stopAtMs = performance.now() + finishWithinMs
  await working
  const endedAtMs = performance.now()
  // What comes after it is not of the run.
  const told = rooms.map((room) => ({
    coded: room.coded,
    attempts: room.attempts(),
    drops: [...room.drops()]
  }))
  const orphans = await runners.orphans()
  const incidents = acts.map(incidentOf)
  const violations: Array<Violation> = twice(acts, rooms.length)
  await inTurns(rooms, async (room) => {
    violations.push(...(await room.judge(incidents, endedAtMs)))
  })
  return { acts, rooms: told, violations, orphans }
}

const makeRooms = async (
  place: { readonly url: string; readonly token: string },
  { coded, relay, pauseMs }: ClusterShape
): Promise<ReadonlyArray<PlayedRoom>> => {
  const rooms: Array<PlayedRoom> = []
  const { url } = place
  await inTurns(Array.from({ length: coded.projects }), async () => {
    const project = await makeSoakProject(place, "ledgerRoom")
    for (let at = 0; at < coded.rooms; at++) {
      const durable = at % 2 === 0
      const room = { url, project, roomId: `room-${at}`, durable, pauseMs: pauseMs.coded }
      rooms.push(codedRoom(room, coded.clients))
    }
  })
  await inTurns(Array.from({ length: relay.projects }), async () => {
    const project = await makeSoakProject(place, "relaySchema")
    for (let at = 0; at < relay.rooms; at++) {
      rooms.push(relayRoom({ url, project, roomId: `relay-${at}`, pauseMs: pauseMs.relay }))
    }
  })
  return rooms
}

const inTurns = async <T>(
  all: ReadonlyArray<T>,
  one: (each: T) => Promise<void>
): Promise<void> => {
  const left = [...all]
  const worker = async (): Promise<void> => {
    while (left.length > 0) for (const each of left.splice(0, 1)) await one(each)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** Each act at least once, then in turns until the minutes are over. */
const performAll = async (
  runners: Runners,
  { shape, minutes, acts, seed = 1, say }: ClusterOptions
): Promise<ReadonlyArray<Act>> => {
  const chance = Chance.of(seed, "cluster", 0)
  const done: Array<Act> = []
  const endsAtMs = performance.now() + minutes * 60_000
  for (let turn = 0; turn < acts.length || performance.now() < endsAtMs; turn++) {
    const kind = acts[turn % acts.length] ?? ActKinds[0]
    const last = done.at(-1)
    const sinceMs = last === undefined ? 0 : performance.now() - last.atMs
    await sleep(kind === "kills" ? Math.max(0, killsEveryMs - sinceMs) : shape.calmMs)
    const act = await perform(kind, runners, chance)
    done.push(act)
    say(
      `${kind}: ${act.rooms} of ${act.awake} rooms, over after ${((act.untilMs - act.atMs) / 1000).toFixed(1)} s`
    )
    for (const line of act.end?.lines.slice(-endLines) ?? []) say(`    ${line.slice(0, 200)}`)
    await runners.allReady()
  }
  return done
}

/** A frozen runner loses what its rooms did since their last snapshot, as a killed one does. */
const incidentOf = ({ kind, atMs, untilMs }: Act): Incident => ({
  kind: kind === "postgres" ? "database" : kind === "drain" ? "mild" : "kill",
  atMs,
  untilMs
})

/** At rest a room is awake on one runner. */
const twice = (acts: ReadonlyArray<Act>, rooms: number): Array<Violation> =>
  acts
    .filter(({ awake }) => awake > rooms)
    .map(({ kind, awake }) => ({
      rule: "twice",
      roomId: "all rooms",
      what: `${awake} rooms were awake before ${kind}, and there are ${rooms}`
    }))
