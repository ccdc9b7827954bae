import { until } from "@atrium/domain/testing/Until"
import { Client, type ClientRoom, RequestError } from "@atrium/sdk/client"
import { beforeAll, describe, expect, it } from "vitest"

import { board } from "../testing/rooms/boardSchema.ts"
import { call, deploy } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

// What games use against what the service does; frames alone are looked at in Relay.e2e.test.ts.

const service = sharedService()
let client: Client

beforeAll(async () => {
  const { body } = await call(service.url, "/v1/projects", {
    token: service.token,
    body: { name: "relay clients" }
  })
  const project = String(body["id"])
  await deploy({ url: service.url, token: service.token, project }, ["rooms/boardSchema.ts"])
  client = new Client(service.url, { project })
})

type Room = ClientRoom<typeof board>
const join = (roomId: string): Promise<Room> => client.joinOrCreate(board, { roomId })
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "taken",
    (error: unknown) => (error instanceof RequestError ? error.code : String(error))
  )

describe("the client library in a relay room", () => {
  it("[D-24] writes; what it added stands in the state when the id comes", async () => {
    const [ann, bob] = [await join("writes"), await join("writes")]
    const id = await ann.add("shapes", { x: 3, kind: "line" })
    expect(ann.state.shapes.get(id)?.toJSON()).toEqual({ id, x: 3, kind: "line", label: "" })
    await ann.write([
      { op: "set", collection: "topic", values: { title: "ours" } },
      { op: "set", collection: "shapes", id, values: { label: "first" } },
      { op: "add", collection: "blobs", values: { data: new Uint8Array(60_000).fill(7) } }
    ])
    await until("one state", () => bob.stateHash() === ann.stateHash())
    expect(bob.state.topic.title).toBe("ours")
    expect(await codeOf(bob.set("shapes", id, { x: 4 }))).toBe("E_NOT_OWNER")
    expect(await codeOf(bob.remove("shapes", 77))).toBe("E_WRITE_REJECTED")
    const many = Array.from({ length: 36 }, () => ({ op: "add", collection: "shapes" }) as const)
    expect(await codeOf(bob.write(many))).toBe("E_WRITE_RATE")
    expect([bob.connected, bob.state.shapes.size]).toEqual([true, 1])
    await ann.remove("shapes", id)
    expect(ann.owns("shapes", id)).toBe(false)
    await Promise.all([ann.leave(), bob.leave()])
  })

  it("[D-24] asks for records, and gives them away", async () => {
    const [ann, bob] = [await join("owners"), await join("owners")]
    const id = await ann.add("shapes", {})
    expect([ann.owns("shapes", id), await bob.own("shapes", id)]).toEqual([true, false])
    const asks: Array<unknown> = []
    ann.onOwnAsked((ask) => {
      asks.push(ask)
      return true
    })
    expect(await bob.own("shapes", id)).toBe(true)
    expect(asks).toEqual([{ collection: "shapes", id, from: bob.sessionId }])
    await until("ann to hear of it", () => !ann.owns("shapes", id))
    await bob.set("shapes", id, { x: 9 })
    await bob.leave()
    expect(await ann.own("shapes", id)).toBe(true)
    await ann.leave()
  })

  it("[D-24] sends to some, or to all others", async () => {
    const [ann, bob, cy] = [await join("sends"), await join("sends"), await join("sends")]
    const heard = new Map<string, Array<unknown>>()
    for (const [name, room] of Object.entries({ ann, bob, cy })) {
      const list: Array<unknown> = []
      heard.set(name, list)
      room.onSent(({ from, data }) => list.push([from === ann.sessionId, data]))
    }
    ann.send([cy.sessionId, "nobody"], { only: "cy" })
    ann.send(null, [1, null, "all"])
    await until(
      "all that was sent",
      () => heard.get("cy")?.length === 2 && heard.get("bob")?.length === 1
    )
    expect(Object.fromEntries(heard)).toEqual({
      ann: [],
      bob: [[true, [1, null, "all"]]],
      cy: [
        [true, { only: "cy" }],
        [true, [1, null, "all"]]
      ]
    })
    await Promise.all([ann.leave(), bob.leave(), cy.leave()])
  })
})
