import { expect, test } from "vitest"

import { Saves } from "./Saves.ts"

/** Saves whose requests and answers are written down in their order. */
const makeSaves = () => {
  const seen: string[] = []
  const saves = new Saves({
    request: (saveId, generation) =>
      void seen.push(`request ${saveId}${generation ? " generation" : ""}`),
    onAsked: () => undefined
  })
  const ask = (name: string, kind: "save" | "durable" = "durable"): void => {
    const asked = kind === "save" ? saves.call() : saves.stored()
    asked.then(
      () => seen.push(`${name} stored`),
      (error: Error) => seen.push(`${name} refused ${error.message.slice(0, 12)}`.trimEnd())
    )
  }
  const settled = async (): Promise<ReadonlyArray<string>> => {
    for (let round = 0; round < 10; round++) await Promise.resolve()
    return seen.splice(0)
  }
  return { saves, ask, settled }
}

test("[C-55] saves until the snapshot is taken share the request before them", async () => {
  const { saves, ask, settled } = makeSaves()
  ask("a")
  saves.flush()
  ask("b")
  saves.flush()
  ask("c")
  expect(await settled()).toEqual(["request 1"])
  saves.gather()
  ask("d")
  saves.saved(1, true)
  expect(await settled()).toEqual(["request 2", "a stored", "b stored", "c stored"])
  saves.gather()
  saves.saved(2, true)
  expect(await settled()).toEqual(["d stored"])
})

test("[C-55] a snapshot that could not be stored refuses all that shared it, and no more", async () => {
  const { saves, ask, settled } = makeSaves()
  ask("a")
  saves.flush()
  ask("b")
  saves.gather()
  ask("c")
  saves.saved(1, false)
  expect(await settled()).toEqual([
    "request 1",
    "request 2",
    "a refused the room's s",
    "b refused the room's s"
  ])
})

test("[C-55] room.save() does not share a request that adds no generation", async () => {
  const { saves, ask, settled } = makeSaves()
  ask("a")
  saves.flush()
  ask("s", "save")
  ask("b")
  saves.gather()
  saves.saved(1, true)
  expect(await settled()).toEqual(["request 1", "request 2 generation", "a stored", "b stored"])
  ask("t", "save")
  ask("c")
  saves.gather()
  saves.saved(2, true)
  expect((await settled()).toSorted()).toEqual(["c stored", "s stored", "t stored"])
})

test("[C-55] a snapshot that is taken while nothing is asked for answers nobody", async () => {
  const { saves, ask, settled } = makeSaves()
  saves.gather()
  saves.saved(0, true)
  ask("a")
  saves.gather()
  expect(await settled()).toEqual([])
  saves.flush()
  saves.saved(1, true)
  saves.saved(1, false)
  expect(await settled()).toEqual(["request 1", "a stored"])
})

test("[C-502] at the storage wall room.save() is refused, and a durable RPC of the same request stored", async () => {
  const { saves, ask, settled } = makeSaves()
  ask("s", "save")
  ask("a")
  saves.flush()
  saves.saved(1, true, "storageBytes: the cap of 7 is reached")
  expect(await settled()).toEqual(["request 1 generation", "a stored", "s refused storageBytes"])
})
