import { defineRoom } from "@atrium/runtime/room/DefineRoom"
import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { s } from "@atrium/wire/schema/FieldKinds"
import { expect, test } from "vitest"

import { RoomHarness } from "./RoomHarness.ts"

const schema = defineSchema({
  type: "duel",
  queue: "duo",
  rpc: {
    client: {
      win: { args: { game: s.string(16), queue: s.string(16) }, returns: s.untyped() },
      alone: {}
    }
  }
})

/** The caller wins against bob, who need not be there. */
const duel = defineRoom(schema, {
  rpc: {
    async win(room, client, { game, queue }) {
      const results = [
        { player: client, place: 1 },
        { player: "bob", place: 2 }
      ]
      const named = queue === "" ? {} : { queue }
      const { counted } = await room.ratings.report(results, { id: game, ...named })
      return { counted, ratings: await room.ratings.get([client, "bob", "eve"], { queue: "duo" }) }
    },
    async alone(room, client) {
      await room.ratings.report([{ player: client, place: 1 }], { id: "alone" })
    }
  }
})

test("[rating.only-in-room] the harness rates as the service does, in the queue of the room's type", async () => {
  const harness = new RoomHarness(duel)
  const ann = await harness.client({ playerId: "ann" }).joinOrCreate(schema)
  const after = {
    counted: true,
    ratings: [
      { player: "ann", rating: expect.closeTo(1662.2, 1), deviation: expect.closeTo(290.2, 1) },
      { player: "bob", rating: expect.closeTo(1337.8, 1), deviation: expect.closeTo(290.2, 1) },
      { player: "eve", rating: 1500, deviation: 350 }
    ]
  }
  expect(await ann.request("win", { game: "1", queue: "" })).toEqual(after)
  expect(await ann.request("win", { game: "1", queue: "" })).toEqual({ ...after, counted: false })
  expect(await ann.request("win", { game: "2", queue: "other" })).toEqual(after)
  await expect(ann.request("alone", {})).rejects.toMatchObject({
    code: "E_CALL_INVALID",
    message: "results: must be 2 to 64 players, not 1"
  })
})
