import { Result } from "effect"
import { describe, expect, test } from "vitest"

import { addressOf } from "./LoadAddresses.ts"
import { LoadLimits } from "./LoadLimits.ts"
import { loadTarget } from "./LoadTarget.ts"

describe("a service that may be loaded", () => {
  const other =
    "game.example is another machine: if it is yours to load, name it again: --i-may-load game.example"
  test.each([
    ["ws://127.0.0.1:8787", null, "ws://127.0.0.1:8787"],
    ["http://localhost:8787/", null, "ws://localhost:8787"],
    ["ws://[::1]:1", null, "ws://[::1]:1"],
    ["ws://127.0.0.1:1", "127.0.0.1", "ws://127.0.0.1:1"],
    ["wss://game.example", "game.example", "wss://game.example"],
    ["https://game.example:444/a", "game.example", "wss://game.example:444/a"]
  ])("[sim.load.target] %s with %j is taken", (url, mayLoad, ws) => {
    expect(loadTarget(url, mayLoad)).toMatchObject(Result.succeed({ ws }))
  })

  test.each([
    ["wss://game.example", null, other],
    [
      "wss://game.example",
      "gane.example",
      "--i-may-load names gane.example, and --url names game.example"
    ],
    [
      "ws://127.0.0.1:1",
      "game.example",
      "--i-may-load names game.example, and --url names 127.0.0.1"
    ],
    [
      "ws://10.0.0.1",
      null,
      "10.0.0.1 is another machine: if it is yours to load, name it again: --i-may-load 10.0.0.1"
    ],
    [
      "ws://127.0.0.1.game.example",
      null,
      "127.0.0.1.game.example is another machine: if it is yours to load, name it again: --i-may-load 127.0.0.1.game.example"
    ],
    ["game.example", null, "--url: game.example: not an http(s) or ws(s) address"],
    ["ws://me:secret@127.0.0.1", null, "--url: an address has no credential"]
  ])("[sim.load.target] %s with %j is refused", (url, mayLoad, text) => {
    expect(loadTarget(url, mayLoad)).toEqual(Result.fail(text))
  })
})

test("[sim.load.target] players of this machine share an address with few others", () => {
  const endpoint = Result.getOrThrow(loadTarget("ws://127.0.0.1:1", null))
  const { max } = LoadLimits.playersOfAddress
  const first = addressOf(0, endpoint, "linux")
  expect(first).toBe("127.77.0.2")
  expect(addressOf(max - 1, endpoint, "linux")).toBe(first)
  expect(addressOf(max, endpoint, "linux")).toBe("127.77.0.3")
  const all = Array.from({ length: 70_000 }, (_, place) =>
    addressOf(place * max, endpoint, "linux")
  )
  expect(new Set(all).size).toBe(all.length)
  for (const address of all) expect(address).toMatch(/^127\.7[78]\.\d{1,3}\.\d{1,3}$/)
})

test("[sim.load.target] elsewhere the system takes the address", () => {
  const mine = Result.getOrThrow(loadTarget("ws://127.0.0.1:1", null))
  expect(addressOf(0, mine, "darwin")).toBeNull()
  const six = Result.getOrThrow(loadTarget("ws://[::1]:1", null))
  expect(addressOf(0, six, "linux")).toBeNull()
  const other = Result.getOrThrow(loadTarget("ws://game.example", "game.example"))
  expect(addressOf(0, other, "linux")).toBeNull()
})
