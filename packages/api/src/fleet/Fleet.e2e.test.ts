import { until } from "@atrium/domain/testing/Until"
import { Client, type ClientRoom } from "@atrium/sdk/client"
import { afterAll, beforeAll, expect, it } from "vitest"

import { as, ask, mintKey } from "../testing/KeysUnderTest.ts"
import { probe } from "../testing/rooms/probeSchema.ts"
import { startRunner } from "../testing/Runners.ts"
import { makeHome, type RunningService, type ServiceHome } from "../testing/RunningService.ts"

let home: ServiceHome | null = null
const runners: Array<RunningService> = []
const first = (): RunningService => {
  const [found] = runners
  if (found === undefined) throw new Error("no runner")
  return found
}

beforeAll(async () => {
  home = await makeHome()
  for (let started = 0; started < 2; started++) runners.push(await startRunner(home))
})

afterAll(async () => {
  await home?.remove()
})

const fleet = async (): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const answer = await ask(first(), "/v1/fleet", as(first().token))
  expect(answer.status, answer.text).toBe(200)
  return JSON.parse(answer.text)
}
const runnerNamed = async (name: unknown): Promise<Record<string, unknown>> =>
  (await fleet()).find(({ runner }) => runner === name) ?? {}
const order = (runner: unknown, body: unknown) =>
  ask(first(), `/v1/fleet/${String(runner)}`, as(first().token, { method: "PATCH", body }))

/** Joins through the runner that has the room, or will have it. */
const join = async (roomId: string): Promise<ClientRoom<typeof probe>> => {
  let joined: ClientRoom<typeof probe> | null = null
  await until(`somebody is in ${roomId}`, async () => {
    for (const { url, project } of runners) {
      const client = new Client(url, { project, reconnectForMs: 0 })
      joined ??= await client.joinOrCreate(probe, { roomId }).catch(() => null)
    }
    return joined !== null
  })
  if (joined === null) throw new Error("nobody joined")
  return joined
}

it("[C-431] [C-432] a cordoned runner gets no further rooms, and a drained one has none", async () => {
  await until("both runners have reported themselves", async () => (await fleet()).length === 2)
  const room = await join("one")
  const drops: Array<number> = []
  room.onDrop((code) => drops.push(code))
  await until("a runner reports the room and its client", async () =>
    (await fleet()).some(({ rooms, clients }) => rooms === 1 && clients === 1)
  )
  const [holder, other] = (await fleet()).toSorted(
    (a, b) => Number(b["rooms"]) - Number(a["rooms"])
  )
  expect(holder).toMatchObject({ status: "open", rooms: 1, clients: 1, load: 6 })

  const cordoned = await order(holder?.["runner"], { order: "cordon" })
  expect(JSON.parse(cordoned.text)).toMatchObject({ status: "cordoned", rooms: 1 })
  const before = (await runnerNamed(holder?.["runner"]))["heardAt"]
  await until("the runner has heard of it", async () => {
    const { heardAt } = await runnerNamed(holder?.["runner"])
    return heardAt !== before
  })
  for (const roomId of ["two", "three", "four"]) await join(roomId)
  await until("the other runner reports three rooms", async () => {
    const { rooms } = await runnerNamed(other?.["runner"])
    return rooms === 3
  })
  expect(await runnerNamed(holder?.["runner"])).toMatchObject({ status: "cordoned", rooms: 1 })

  expect((await order(holder?.["runner"], { order: "drain" })).status).toBe(200)
  await until("the runner is drained", async () => {
    const { status } = await runnerNamed(holder?.["runner"])
    return status === "drained"
  })
  expect(await room.request("add", { by: 1 })).toEqual({ value: 1 })
  expect(drops).toEqual([])
  await until("the other runner has all rooms", async () => {
    const { rooms } = await runnerNamed(other?.["runner"])
    return rooms === 4
  })
  const opened = await order(holder?.["runner"], { order: "uncordon" })
  expect(JSON.parse(opened.text)).toMatchObject({ status: "open", rooms: 0 })
})

it("[auth.key.cannot.fleet] [C-432] the fleet is the operator's alone", async () => {
  const key = await mintKey(first(), ["rooms:read", "rooms:write"])
  expect((await ask(first(), "/v1/fleet", as(key.secret))).status).toBe(401)
  const patch = as(key.secret, { method: "PATCH", body: { order: "drain" } })
  expect((await ask(first(), "/v1/fleet/alone", patch)).status).toBe(401)
  expect((await order("nobody:1", { order: "drain" })).status).toBe(404)
  expect((await order("nobody:1", { order: "stop" })).status).toBe(400)
  const invited = await ask(
    first(),
    "/v1/me/invitations",
    as(first().token, { method: "POST", body: { name: "Ada" } })
  )
  const { code } = JSON.parse(invited.text)
  const accepted = await fetch(`${first().url}/v1/login/invitation`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code, name: "Ada" })
  })
  const { token } = Object(await accepted.json())
  expect(token).toMatch(/^ct_/)
  expect((await ask(first(), "/v1/fleet", as(token))).status).toBe(404)
})
