import { allowances } from "@atrium/domain/meters/Caps"
import { Effect } from "effect"
import { expect, test } from "vitest"

import { readMeterSettings } from "./MeterSettings.ts"

const read = (given: { free?: string; card?: string; newPlan?: string }) =>
  Effect.runSync(
    Effect.match(readMeterSettings({ free: "", card: "", newPlan: "card", ...given }), {
      onSuccess: (plans) => plans,
      onFailure: (refusal) => refusal
    })
  )

test("[C-500] a service without settings has the allowances of the table, and projects on card", () => {
  expect(read({})).toEqual({ allowances, newPlan: "card" })
})

test("[C-500] sets the allowances that are named, and keeps the others", () => {
  const set = read({ free: "roomHours=5, storageBytes=0", newPlan: "free" })
  expect(set).toEqual({
    allowances: { ...allowances, free: { ...allowances.free, roomHours: 5, storageBytes: 0 } },
    newPlan: "free"
  })
  expect(read({ card: `dataOutBytes=${Number.MAX_SAFE_INTEGER}` })).toMatchObject({
    allowances: { card: { dataOutBytes: Number.MAX_SAFE_INTEGER } }
  })
})

test.each([
  { free: "hours=5" },
  { free: "roomHours" },
  { free: "roomHours=-1" },
  { free: "roomHours=1.5" },
  { free: "roomHours=1,roomHours=2" },
  { card: "dataOutBytes=9007199254740992" },
  { newPlan: "gold" },
  { newPlan: "" }
])("[C-500] refuses %j by name", (given) => {
  const [name] = Object.keys(given)
  const variables: Record<string, string> = {
    free: "ATRIUM_ALLOWANCES_FREE",
    card: "ATRIUM_ALLOWANCES_CARD",
    newPlan: "ATRIUM_NEW_PLAN"
  }
  expect(read(given)).toMatch(new RegExp(`^${variables[name ?? ""]}`))
})
