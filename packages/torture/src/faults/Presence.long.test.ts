import { signalAll, standStill } from "@atrium/api/testing/ProcessTree"
import { type ProbeRoom, roomsOf } from "@atrium/api/testing/RoomsUnderTest"
import { holderFirst, shareShards, startRunner } from "@atrium/api/testing/Runners"
import {
  call,
  makeHome,
  type RunningService,
  type ServiceHome
} from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, expect, it } from "vitest"

let home: ServiceHome
/** The runner that has the room, and the others, which are asked. */
let holder: RunningService
let others: ReadonlyArray<RunningService> = []
let room: ProbeRoom

const start = (): Promise<RunningService> =>
  startRunner(home, { env: { ATRIUM_EXEMPT_ADDRESSES: "127.0.0.1" } })

beforeAll(async () => {
  home = await makeHome()
  const runners = [await start(), await start(), await start()]
  await shareShards(runners)
  const [first] = runners
  if (first === undefined) throw new Error("no runner")
  room = await roomsOf(first).join("here")
  const [has, ...rest] = await holderFirst(runners)
  holder = has
  others = rest
})

afterAll(() => home.remove())

const ask = async (on: RunningService, query: string) => {
  const { status, body } = await call(on.url, `/v1/presence?project=${on.project}&${query}`)
  expect(status).toBe(200)
  const players: ReadonlyArray<Record<string, unknown>> = Object(body["players"])
  return { rooms: players.map(({ roomId }) => roomId), cursor: String(body["cursor"]) }
}

/** @returns how long it took until each of them said so, in ms */
const told = async (
  runners: ReadonlyArray<RunningService>,
  players: ReadonlyArray<string>,
  rooms: ReadonlyArray<string | null>
): Promise<number> => {
  const beganMs = performance.now()
  await until(`the players are in ${rooms.join()}`, async () => {
    const answers = await Promise.all(runners.map((on) => ask(on, `players=${players.join()}`)))
    return answers.every((answer) => answer.rooms.join() === rooms.join())
  })
  return performance.now() - beganMs
}

it("[C-561] every runner knows within a second who comes and goes on another one", async () => {
  const all = [holder, ...others]
  const [entry] = others
  if (entry === undefined) throw new Error("no other runner")
  await told(all, [room.playerId], ["here"])
  const second = await roomsOf(entry).join("here")
  const players = [room.playerId, second.playerId]
  expect(await told(all, players, ["here", "here"])).toBeLessThan(1000)
  await second.leave()
  expect(await told(all, players, ["here", null])).toBeLessThan(1000)
})

it("[C-562] a watch on one runner sees who goes on another one, and its cursor holds on each", async () => {
  const [one, two] = others
  if (one === undefined || two === undefined) throw new Error("no other runners")
  const guest = await roomsOf(holder).join("here")
  const players = `players=${guest.playerId}`
  await told([holder, ...others], [guest.playerId], ["here"])
  const { cursor } = await ask(one, players)
  expect(await ask(two, players)).toEqual({ rooms: ["here"], cursor })
  const quiet = await ask(two, `${players}&wait=1&cursor=${cursor}`)
  expect(quiet).toEqual({ rooms: ["here"], cursor })
  const watching = ask(two, `${players}&wait=30&cursor=${cursor}`)
  await guest.leave()
  const leftMs = performance.now()
  expect((await watching).rooms).toEqual([null])
  expect(performance.now() - leftMs).toBeLessThan(1000)
})

/** Somebody whose connection ends with the runner, and who does not come back. */
const guestOf = async (runner: RunningService, asked: ReadonlyArray<RunningService>) => {
  const { playerId } = await roomsOf(runner).join("here")
  await told(asked, [playerId], ["here"])
  return playerId
}

/** Joins the room until that works: it may have to wait until the runner's rooms are given to others. */
const failOver = (entry: RunningService): Promise<ProbeRoom> =>
  until("the room fails over", () =>
    roomsOf(entry)
      .join("here")
      .catch(() => false as const)
  )

it("[C-561] the players of a runner that is killed are in no room within a second, and others come where the room fails over", async () => {
  const guest = await guestOf(holder, others)
  signalAll([holder.pid], "SIGKILL")
  expect(await told(others, [guest], [null])).toBeLessThan(1000)
  const [entry] = others
  if (entry === undefined) throw new Error("no other runner")
  const next = await failOver(entry)
  expect(await told(others, [guest, next.playerId], [null, "here"])).toBeLessThan(1000)
})

it("[C-561] the players of a runner that stands still are in no room once the room has failed over", async () => {
  const [frozen, left] = await holderFirst(others)
  if (left === undefined) throw new Error("no runner is left")
  const guest = await guestOf(frozen, others)
  standStill(frozen.pid, true)
  try {
    const next = await failOver(left)
    expect(await told([left], [guest, next.playerId], [null, "here"])).toBeLessThan(1000)
    standStill(frozen.pid, false)
    // The runner has dropped the players that it had before it stood still.
    await told([frozen, left], [next.playerId], ["here"])
    await next.leave()
    expect(await told([frozen, left], [next.playerId], [null])).toBeLessThan(1000)
  } finally {
    standStill(frozen.pid, false)
  }
})
