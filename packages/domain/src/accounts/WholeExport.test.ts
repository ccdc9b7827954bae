import { expect, it } from "vitest"

import { wholeExport } from "./WholeExport.ts"

it("[C-807] joins the pages of an export by player and kind, in their order", () => {
  const page = (
    playerId: string,
    rows: Record<string, ReadonlyArray<Record<string, unknown>>>
  ) => ({
    accountId: "ann",
    playerId,
    rows,
    next: null
  })
  const whole = wholeExport("ann", [
    page("ann", { fields: [], kv: [{ key: "a" }, { key: "b" }] }),
    page("ann", { kv: [{ key: "c" }] }),
    page("phone", { kv: [{ key: "a" }] })
  ])
  expect(whole).toEqual({
    accountId: "ann",
    players: [
      { playerId: "ann", rows: { fields: [], kv: [{ key: "a" }, { key: "b" }, { key: "c" }] } },
      { playerId: "phone", rows: { kv: [{ key: "a" }] } }
    ]
  })
  expect(wholeExport("bea", [])).toEqual({ accountId: "bea", players: [] })
})
