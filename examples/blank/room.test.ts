import { RoomHarness } from "@atrium/sdk/testing"
import { expect, test } from "vitest"

import { counterRoom } from "./room.ts"
import { counter } from "./schema.ts"

// `sleepFor` loads it anew, as the service does.
const module = new URL("./room.ts", import.meta.url)

test("[example.blank] everyone sees every press, also after the room has slept", async () => {
  const harness = new RoomHarness(counterRoom, { module })
  const ann = await harness.client({ playerId: "ann" }).joinOrCreate(counter)
  const bob = await harness.client({ playerId: "bob" }).joinOrCreate(counter)
  ann.send("press", {})
  bob.send("press", {})
  await harness.advance(100)
  expect([ann.state.counter.presses, bob.state.counter.presses]).toEqual([2, 2])

  await harness.sleepFor(60_000)
  await harness.advance(5_000)
  expect(ann.state.counter.presses).toBe(2)
  expect(harness.logs).toEqual([])
})
