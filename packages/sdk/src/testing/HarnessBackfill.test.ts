import { defineRoom } from "@atrium/runtime/room/DefineRoom"
import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { s } from "@atrium/wire/schema/FieldKinds"
import { expect, test } from "vitest"

import { RoomHarness } from "./RoomHarness.ts"

const schema = defineSchema({
  type: "duel",
  rpc: { client: { want: { args: { seats: s.f64() } } } }
})
const duel = defineRoom(schema, {
  rpc: { want: (room, _client, { seats }) => room.lobby.setBackfill({ seats }) }
})

test("[match.backfill.freshness] a room asks for 0 to 64 players, and the last word counts", async () => {
  const harness = new RoomHarness(duel)
  const ann = await harness.client({ playerId: "ann" }).joinOrCreate(schema)
  for (const seats of [3, 64, 0, 2]) {
    await ann.request("want", { seats })
    expect(harness.backfillSeats).toBe(seats)
  }
  for (const seats of [-1, 65, 1.5]) {
    await expect(ann.request("want", { seats })).rejects.toMatchObject({ code: "E_CALL_INVALID" })
  }
  expect(harness.backfillSeats).toBe(2)
})
