import { sleep } from "@atrium/api/testing/load/Tasks"
import { probe } from "@atrium/api/testing/rooms/probeSchema"
import { holderFirst, startRunner } from "@atrium/api/testing/Runners"
import {
  call,
  makeHome,
  type RunningService,
  type ServiceHome
} from "@atrium/api/testing/RunningService"
import { HandoverLimits } from "@atrium/domain/handover/HandoverLimits"
import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { afterAll, beforeAll, expect, it } from "vitest"
import { WebSocket } from "ws"

let home: ServiceHome
/** Those that run. */
let runners: Array<RunningService> = []

/** Comes first to the runner that it is told, and then to one of those that run, as a load balancer does. */
const balanced = (first: RunningService) => {
  let next = 0
  return class extends WebSocket {
    constructor(url: string, protocols: string) {
      const { pathname } = new URL(url)
      const to = runners.includes(first) ? first : (runners[next++ % runners.length] ?? first)
      super(`${to.url.replace("http", "ws")}${pathname}`, [protocols])
    }
  }
}

/** Somebody who calls the room again and again, and says numbered lines that the room gives back. */
const player = async (via: RunningService, roomId: string) => {
  const client = new Client(via.url, { project: via.project, webSocket: balanced(via) })
  const room = await client.joinOrCreate(probe, { roomId })
  const tally = { plain: 0, durable: 0, said: 0 }
  const drops: Array<number> = []
  const heard: Array<number> = []
  const { sessionId } = room
  room.onDrop((code) => drops.push(code))
  room.onMessage("say", ({ text }) => {
    const [from, line] = text.split(": ")
    if (from === sessionId) heard.push(Number(line))
  })
  let over = false
  const counted = async (kind: "plain" | "durable"): Promise<void> => {
    for (;;) {
      if (over) return
      const asked = room.request(kind === "plain" ? "add" : "addDurably", { by: 1 })
      // A call whose connection ends, or whose room moves, has no answer: it may have been carried out.
      await asked.then(
        () => tally[kind]++,
        () => undefined
      )
      room.send("say", { text: String(++tally.said) })
      // As fast as a player may, who has 240 frames a second.
      await sleep(25)
    }
  }
  const playing = Promise.all([counted("plain"), counted("durable")])
  const stop = async (): Promise<void> => {
    over = true
    await playing
  }
  return { room, sessionId, tally, drops, heard, stop }
}

beforeAll(async () => {
  home = await makeHome()
  for (let at = 0; at < 3; at++) runners.push(await startRunner(home))
})

afterAll(async () => {
  await home.remove()
})

it("[C-419] [C-642] a room moves between runners that go on, there and back, and nobody is closed", async () => {
  const [one] = runners
  if (one === undefined) throw new Error("no runner")
  const players = await Promise.all(runners.map((via) => player(via, "walks")))
  const move = async (): Promise<string> => {
    const path = `/v1/fleet/rooms/${one.project}/walks/move`
    const { status, body } = await call(one.url, path, { token: one.token, body: { runner: null } })
    expect([status, body]).toEqual([200, { runner: expect.any(String) }])
    return String(body["runner"])
  }
  const ids = players.map(({ room }) => room.playerId).join()
  const present = async (): Promise<ReadonlyArray<Record<string, unknown>>> => {
    const path = `/v1/presence?project=${one.project}&players=${ids}`
    const { body } = await call(one.url, path)
    return Object(body["players"])
  }
  const joined = await until("everybody is present", async () => {
    const told = await present()
    return told.every(({ roomId }) => roomId === "walks") && told
  })
  const places: Array<string> = []
  for (let round = 0; round < 3; round++) {
    const before = players.map(({ tally }) => tally.durable)
    await until("everybody is answered", () =>
      players.every(({ tally }, at) => tally.durable > (before[at] ?? 0) + 3)
    )
    places.push(await move())
    expect(places.at(-1)).not.toBe(places.at(-2))
  }
  const before = players.map(({ tally }) => tally.durable)
  await until("everybody is answered again", () =>
    players.every(({ tally }, at) => tally.durable > (before[at] ?? 0) + 3)
  )
  // Nobody has left: since when somebody is there does not change.
  expect(await present()).toEqual(joined)
  await Promise.all(players.map(({ stop }) => stop()))
  expect(players.map(({ drops }) => drops)).toEqual([[], [], []])
  expect(players.map(({ room }) => room.sessionId)).toEqual(players.map((each) => each.sessionId))
  const acknowledged = players.reduce((sum, { tally }) => sum + tally.plain + tally.durable, 0)
  const { counter } = players[0]?.room.state ?? {}
  expect(counter?.value).toBeGreaterThanOrEqual(acknowledged)
  expect(counter?.starts).toBe(1)
  for (const { heard, tally } of players) {
    await until("every line has come back", () => heard.length >= tally.said)
    expect(heard).toEqual(Array.from({ length: tally.said }, (_, at) => at + 1))
  }
  await Promise.all(players.map(({ room }) => room.leave()))
})

it("[C-416] a runner ends: clients of the others stay connected, its own come back once, and nothing acknowledged is lost", async () => {
  const [one] = runners
  if (one === undefined) throw new Error("no runner")
  const scout = await new Client(one.url, { project: one.project }).joinOrCreate(probe, {
    roomId: "moves"
  })
  const [owner, ...others] = await holderFirst(runners)
  await scout.leave()
  const far = await Promise.all([...others, ...others].map((via) => player(via, "moves")))
  const near = await player(owner, "moves")
  const all = [...far, near]
  await until("everybody is answered", () => all.every(({ tally }) => tally.durable > 3))

  runners = others
  const stoppedAt = performance.now()
  const toldAfter = new Promise<number>((resolve) =>
    near.room.onDrop(() => resolve(performance.now() - stoppedAt))
  )
  expect(await owner.stop()).toBe(0)
  // Until then a load balancer may send its clients to the runner that ends.
  expect(await toldAfter).toBeGreaterThanOrEqual(HandoverLimits.handoverNotice.ms)
  const before = all.map(({ tally }) => ({ ...tally }))
  await until("everybody plays on", () =>
    all.every(({ tally }, at) => tally.durable > (before[at]?.durable ?? 0) + 3)
  )
  await Promise.all(all.map(({ stop }) => stop()))

  expect(far.map(({ drops }) => drops)).toEqual(far.map(() => []))
  expect(near.drops).toEqual([1012])
  expect(all.map(({ room }) => room.sessionId)).toEqual(all.map(({ sessionId }) => sessionId))
  const acknowledged = all.reduce((sum, { tally }) => sum + tally.plain + tally.durable, 0)
  const { counter } = far[0]?.room.state ?? {}
  expect(counter?.value).toBeGreaterThanOrEqual(acknowledged)
  expect(counter?.starts).toBe(1)
  // Lines of those who stayed connected reach the room once each, in their order.
  for (const { heard, tally } of far) {
    await until("every line has come back", () => heard.length >= tally.said)
    expect(heard).toEqual(Array.from({ length: tally.said }, (_, at) => at + 1))
  }
  await Promise.all(all.map(({ room }) => room.leave()))
})
