import { expect, test } from "vitest"

import type { DeployedType } from "./DeployedType.ts"
import { newWorlds } from "./NewWorlds.ts"

const versionOf = (types: Readonly<Record<string, string | null>>) => ({
  relay: false,
  step: null,
  roomTypes: Object.entries(types).map(([type, engine]): DeployedType => ({
    type,
    class: "standard",
    maxClients: 8,
    tickHz: 60,
    hibernateAfterMs: 30_000,
    reconnectForMs: 20_000,
    retention: null,
    ...(engine === null ? {} : { physics: { dimensions: 3, history: 0, engine } }),
    schemaHash: "0123456789abcdef",
    schema: {}
  }))
})

test("[C-864] a deploy makes the worlds of a type anew when its library is another one", () => {
  const before = versionOf({ same: "a 1", other: "a 1", late: null, gone: "a 1" })
  const next = versionOf({ same: "a 1", other: "a 2", late: "a 2", fresh: "a 2" })
  expect(newWorlds(before, next)).toEqual([{ type: "other", was: "a 1", is: "a 2" }])
  expect(newWorlds(before, before)).toEqual([])
  expect(newWorlds(null, next)).toEqual([])
})

test("[C-864] a deploy that discards what is stored makes no world anew", () => {
  const before = versionOf({ other: "a 1" })
  const next = versionOf({ other: "a 2" })
  const step = { strategy: "drain", discards: true, rooms: {}, players: [] } as const
  expect(newWorlds(before, { ...next, step })).toEqual([])
  expect(newWorlds(before, { ...next, step: { ...step, discards: false } })).toHaveLength(1)
})
