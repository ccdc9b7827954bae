import { expect, test } from "vitest"

import { manyWorlds } from "./ManyWorlds.ts"

test("[D-14] [D-46] [D-48] in 1,000 worlds every promise holds, and all of the machines is reached", () => {
  const { told, missing, made } = manyWorlds(1000)
  expect(told).toBe("")
  expect(missing).toEqual([])
  expect(Object.values(made).filter((count) => count < 100)).toEqual([])
}, 240_000)
