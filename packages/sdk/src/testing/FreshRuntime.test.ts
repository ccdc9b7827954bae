import { expect, test } from "vitest"

import { forgetful, forgetfulRoom } from "./ForgetfulRoom.ts"
import { RoomHarness } from "./RoomHarness.ts"

const module = new URL("./ForgetfulRoom.ts", import.meta.url)

test("[C-963] a room that wakes has lost the variables of its modules, and has its state", async () => {
  const harness = new RoomHarness(forgetfulRoom, { module })
  const ann = await harness.client({ playerId: "ann" }).joinOrCreate(forgetful)
  const guess = (word: string): Promise<string> =>
    ann.request("guess", { word }).then(
      () => "right",
      ({ code, message }) => `${code}: ${message}`
    )
  await ann.request("hide", { word: "otter" })
  expect(await guess("otter")).toBe("right")
  await harness.sleepFor(1000)
  expect(ann.state.word.letters).toBe(5)
  expect(await guess("otter")).toBe("E_WRONG: the word is ")
  await ann.request("hide", { word: "owl" })
  await harness.sleepFor(1000)
  expect([ann.state.word.letters, await guess("owl")]).toEqual([3, "E_WRONG: the word is "])
  expect(harness.logs).toEqual([])
})

test("[C-963] without a module the room that the test imported wakes with its variables", async () => {
  const harness = new RoomHarness(forgetfulRoom)
  const ann = await harness.client({ playerId: "ann" }).joinOrCreate(forgetful)
  await ann.request("hide", { word: "otter" })
  await harness.sleepFor(1000)
  expect(await ann.request("guess", { word: "otter" })).toEqual({})
})

test.each([
  ["./ForgetfulWord.ts", /ForgetfulWord\.ts: exports no room of the type forgetful$/],
  ["./Nowhere.ts", /Nowhere\.ts: there is no such file/],
  ["./RoomHarness.test.ts", /E_ROOM_IMPORT/]
])(
  "[C-963] the harness says why it cannot load %s, and the room stays awake",
  async (path, why) => {
    const at = new URL(path, import.meta.url)
    const harness = new RoomHarness(forgetfulRoom, { module: at })
    const ann = await harness.client({ playerId: "ann" }).joinOrCreate(forgetful)
    await expect(harness.sleepFor(1000)).rejects.toThrow(why)
    expect(await ann.request("hide", { word: "owl" })).toEqual({})
  }
)
