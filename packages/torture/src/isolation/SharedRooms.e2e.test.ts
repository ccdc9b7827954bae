import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

import { answered, loggedEnd, loggedEnds } from "@atrium/api/testing/HogStage"
import { descendantsOf } from "@atrium/api/testing/ProcessTree"
import { crew } from "@atrium/api/testing/rooms/crewSchema"
import { call } from "@atrium/api/testing/RunningService"
import { serviceUnderTest } from "@atrium/api/testing/ServiceUnderTest"
import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { until } from "@atrium/domain/testing/Until"
import { bundleRooms } from "@atrium/sdk/bundle"
import { Client, type ClientRoom } from "@atrium/sdk/client"
import { MiB } from "@atrium/wire/limits/Limit"
import { RoomClasses } from "@atrium/wire/rooms/RoomClass"
import { beforeAll, describe, expect, it } from "vitest"

const service = serviceUnderTest()
const places = RoomProcessLimits.sharedRooms.max
let project = ""
let deployed: object = {}

beforeAll(async () => {
  const { url, token } = service
  const made = await call(url, "/v1/projects", { token, body: { name: "crews" } })
  project = String(made.body["id"])
  const resolveDir = fileURLToPath(
    new URL(".", import.meta.resolve("@atrium/api/testing/rooms/crewSchema"))
  )
  const { bytes } = await bundleRooms({ entries: ["crew.ts"], resolveDir })
  const answer = await fetch(`${url}/v1/projects/${project}/deployments`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/javascript" },
    body: Buffer.from(bytes)
  })
  deployed = { status: answer.status, ...Object(await answer.json()) }
})

type Crew = ClientRoom<typeof crew>

/** Rooms of one test, each with so many counts stored as its place says. */
const crewOf = async (name: string, rooms: number): Promise<ReadonlyArray<Crew>> => {
  const client = new Client(service.url, { project })
  const opened: Array<Crew> = []
  for (let place = 1; place <= rooms; place++) {
    const room = await client.joinOrCreate(crew, { roomId: `${name}-${place}` })
    await room.request("count", { by: place })
    opened.push(room)
  }
  return opened
}

/** Resolves when the rooms sleep: until then they have their places in a process. */
const leave = async (rooms: ReadonlyArray<Crew>): Promise<void> => {
  await Promise.all(rooms.map((room) => room.leave()))
  for (const { id } of rooms) {
    await until(`${id} sleeps`, () => loggedEnd(service.output(), `${id} `) === "stopped")
  }
}

const sharedHeap = `--max-old-space-size=${places * RoomClasses.standard.memoryMiB + RoomProcessLimits.roomMemorySlack.max / MiB}`

/** Processes that rooms share, as the system shows their command lines. */
const sharedProcesses = (): ReadonlyArray<number> =>
  descendantsOf(service.pid).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(sharedHeap)
    } catch {
      // It has ended.
      return false
    }
  })

const counter = async (room: Crew): Promise<number> =>
  (await answered(() => room.request("count", { by: 0 }, { timeoutMs: 2000 }))).value

/** The causes with which processes of rooms have ended, by room. */
const endsOf = (name: string, rooms: number): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: rooms }, (_, at) => loggedEnds(service.output(), `${name}-${at + 1}`))

/** Waits until the room is up again, and tells its counter. */
const doesAndComesBack = async (room: Crew, what: "loop" | "crash", ends: () => number) => {
  const before = ends()
  room.send("run", { what })
  await until("its end", () => ends() > before)
  return await counter(room)
}

describe("rooms that share a process", () => {
  it("[C-977] are named in the answer to the deploy", () => {
    expect(deployed).toMatchObject({ status: 201, sharing: ["crew"] })
  })

  it("[C-971] are 20 in one process, with a variable of a module for each", async () => {
    const rooms = await crewOf("many", places)
    expect(sharedProcesses()).toHaveLength(1)
    for (const [at, room] of rooms.entries()) {
      for (let times = 0; times < at % 3; times++) await room.request("tally", {})
    }
    const calls = await Promise.all(rooms.map((room) => room.request("tally", {})))
    expect(calls).toEqual(rooms.map((_, at) => ({ calls: (at % 3) + 1 })))
    expect(await Promise.all(rooms.map(counter))).toEqual(rooms.map((_, at) => at + 1))
    const client = new Client(service.url, { project })
    const next = await client.joinOrCreate(crew, { roomId: "many-next" })
    await next.request("count", { by: 1 })
    expect(sharedProcesses()).toHaveLength(2)
    await leave([...rooms, next])
  })

  const findsTheOneAtFault = async (what: "loop" | "memory" | "kill"): Promise<void> => {
    const rooms = await crewOf(what, 4)
    const [culprit, innocent] = rooms
    if (culprit === undefined || innocent === undefined) throw new Error("no rooms")
    if (what === "kill") {
      const pids = sharedProcesses()
      for (const pid of pids) process.kill(pid, "SIGKILL")
    } else culprit.send("run", { what })
    await until("the ends", () => endsOf(what, 4).every((ends) => ends.length > 0))
    expect(endsOf(what, 4)).toEqual(rooms.map(() => ["neighbour"]))
    expect(await Promise.all(rooms.map(counter))).toEqual([1, 2, 3, 4])
    // Each has a process of its own now: what one does is its own.
    const ends = (place: number) => () => (endsOf(what, 4)[place] ?? []).length
    expect(await doesAndComesBack(innocent, "crash", ends(1))).toBe(2)
    expect(await doesAndComesBack(innocent, "crash", ends(1))).toBe(2)
    if (what === "kill") return await leave(rooms)
    const closed = new Promise<number>((resolve) => void culprit.onLeave(resolve))
    for (const times of [2, 3, 4]) {
      if (times > 2) expect(await counter(culprit)).toBe(1)
      culprit.send("run", { what })
      await until("its end", () => ends(0)() >= times)
    }
    expect(await closed).toBe(1011)
    expect(new Set(endsOf(what, 4)[0])).toEqual(
      new Set(["neighbour", what === "loop" ? "hung" : "memory"])
    )
    expect(endsOf(what, 4).slice(2)).toEqual([["neighbour"], ["neighbour"]])
    expect(await Promise.all(rooms.slice(1).map(counter))).toEqual([2, 3, 4])
    await leave(rooms.slice(1))
  }

  const title = "all go on with their state, none is counted, and the one at fault is found alone"
  it.each(["memory", "kill"] as const)(`[C-973] [C-974] %s: ${title}`, findsTheOneAtFault)
  it(`[C-973] [C-974] loop: ${title}`, { tags: ["thorough"] }, () => findsTheOneAtFault("loop"))

  it("[C-976] an error that nobody catches ends and counts for its own room alone", async () => {
    const rooms = await crewOf("crash", 3)
    const [culprit] = rooms
    if (culprit === undefined) throw new Error("no rooms")
    const closed = new Promise<number>((resolve) => void culprit.onLeave(resolve))
    const ends = () => (endsOf("crash", 3)[0] ?? []).length
    expect(await doesAndComesBack(culprit, "crash", ends)).toBe(1)
    expect(await doesAndComesBack(culprit, "crash", ends)).toBe(1)
    culprit.send("run", { what: "crash" })
    expect(await closed).toBe(1011)
    expect(endsOf("crash", 3)).toEqual([["crashed", "crashed", "crashed"], [], []])
    expect(await Promise.all(rooms.slice(1).map(counter))).toEqual([2, 3])
    await leave(rooms.slice(1))
  })
})
