import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { s } from "@atrium/wire/schema/FieldKinds"
import { schemaHash } from "@atrium/wire/schema/SchemaHash"
import { afterEach, beforeEach, describe, expect, test } from "vitest"

import { Client } from "./Client.ts"
import type { JoinError } from "./ClientErrors.ts"
import { FakeRoomServer } from "./testing/FakeRoomServer.ts"
import { FakeTime } from "./testing/FakeTime.ts"
import type { TokenMemory } from "./TokenMemory.ts"

const schema = defineSchema({ type: "arena", entities: { players: { name: s.string(32) } } })
const lifeMs = 60_000

let server: FakeRoomServer<typeof schema>
let time: FakeTime
let tab: Map<string, string>
let asked: Array<unknown>
let refusal: object | null

beforeEach(async () => {
  server = await FakeRoomServer.open(schema)
  time = new FakeTime()
  tab = new Map()
  asked = []
  refusal = null
})
afterEach(() => server.close())

/** One Client of a page of this tab. */
const page = (options: { readonly token?: string } = {}): Client => {
  const memory: TokenMemory = {
    kept: (name) => tab.get(name) ?? null,
    keep: (name, text) => void tab.set(name, text)
  }
  const fetchThere: typeof fetch = async (url, init) => {
    asked.push([new URL(String(url)).pathname, JSON.parse(String(init?.body))])
    if (refusal !== null) return Response.json({ error: refusal }, { status: 403 })
    const expiresAt = new Date(time.nowMs + lifeMs).toISOString()
    return Response.json({ token: `token-${asked.length}`, expiresAt }, { status: 201 })
  }
  return new Client(server.url, options, time.port({ fetch: fetchThere, tab: memory }))
}

const tokens = (): ReadonlyArray<unknown> => server.peers.map(({ hello }) => hello[1])
const refused = (join: Promise<unknown>): Promise<JoinError> =>
  join.then(
    () => {
      throw new Error("the join was not refused")
    },
    (error: JoinError) => error
  )

describe("watch", () => {
  test("[D-29] asks for a credential of that room, and joins without a type, as it makes no room", async () => {
    const room = await page().watch("cup", schema)
    expect(asked).toEqual([["/v1/audience", { project: "dev", roomId: "cup" }]])
    expect(server.peers[0]?.path).toBe("/v1/rooms/dev/cup")
    expect(server.peers[0]?.hello).toEqual([1, "token-1", null, schemaHash(schema), null, null])
    expect(room.id).toBe("cup")
  })

  test("[D-29] has one for each room, and does not play with it", async () => {
    const client = page()
    for (const room of ["cup", "cup", "final"]) await client.watch(room, schema)
    await client.join(schema)
    expect(tokens()).toEqual(["token-1", "token-1", "token-2", "token-3"])
    expect(asked.at(-1)).toEqual(["/v1/identity", { project: "dev" }])
  })

  test("[D-29] joins without the credentials of a player", async () => {
    await page({ token: "player" }).watch("cup", schema)
    expect(tokens()).toEqual(["token-1"])
  })

  test("[D-29] says why there is nothing to watch", async () => {
    refusal = { code: "E_AUDIENCE_DISABLED", message: "no audience" }
    const error = await refused(page().watch("cup", schema))
    expect([error.code, error.reason]).toEqual(["E_AUDIENCE_DISABLED", "no audience"])
    expect(server.peers).toHaveLength(0)
  })
})

describe("a page that is loaded again", () => {
  test("[C-123] has the tokens that it had, as long as they are valid", async () => {
    const visit = async (): Promise<void> => {
      await (await page().join(schema)).leave()
      await (await page().watch("cup", schema)).leave()
    }
    await visit()
    time.advance(lifeMs - 1)
    await visit()
    expect(tokens()).toEqual(["token-1", "token-2", "token-1", "token-2"])
    time.advance(1)
    await visit()
    expect(tokens().slice(4)).toEqual(["token-3", "token-4"])
  })

  test("[C-123] asks for another when the service does not know the old one any more", async () => {
    await page().join(schema)
    server.onHello = (peer) =>
      peer.hello[1] === "token-1"
        ? peer.refuse({ code: 4401, name: "E_UNAUTHENTICATED" })
        : peer.welcome()
    await page().join(schema)
    await page().join(schema)
    expect(tokens()).toEqual(["token-1", "token-1", "token-2", "token-2"])
  })

  test("[C-123] does not ask for ever: a token of its own that is refused is refused", async () => {
    server.onHello = (peer) => peer.refuse({ code: 4401, name: "E_UNAUTHENTICATED" })
    const client = page()
    expect((await refused(client.join(schema))).code).toBe("E_UNAUTHENTICATED")
    expect(asked).toHaveLength(1)
    expect((await refused(page().join(schema))).code).toBe("E_UNAUTHENTICATED")
    expect(asked).toHaveLength(2)
  })

  test("[C-123] keeps a token that was refused for another reason", async () => {
    await page().join(schema)
    server.onHello = (peer) => peer.refuse({ code: 4409, name: "E_ROOM_FULL" })
    expect((await refused(page().join(schema, { roomId: "cup" }))).code).toBe("E_ROOM_FULL")
    expect(asked).toHaveLength(1)
  })

  test.each(["", "null", "5", "{", '{"token":5,"expiresAtMs":9e9}', '{"token":"t"}'])(
    "[C-123] takes %j for nothing",
    async (text) => {
      await page().join(schema)
      for (const name of tab.keys()) tab.set(name, text)
      await page().join(schema)
      expect(tokens()).toEqual(["token-1", "token-2"])
    }
  )
})
