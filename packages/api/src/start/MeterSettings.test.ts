import { allowances } from "@atrium/domain/meters/Caps"
import { Effect } from "effect"
import { expect, test } from "vitest"

import { readMeterSettings } from "./MeterSettings.ts"

const read = (given: { free?: string; card?: string; newPlan?: string; sustained?: string }) =>
  Effect.runSync(
    Effect.match(
      readMeterSettings({ free: "", card: "", newPlan: "card", sustained: "10485760", ...given }),
      { onSuccess: (plans) => plans, onFailure: (refusal) => refusal }
    )
  )

test("[C-500] a service without settings has the allowances of the table, and projects on card", () => {
  expect(read({})).toEqual({ allowances, newPlan: "card", sustainedBytes: 10 * 1024 ** 2 })
})

test("[C-500] sets the allowances that are named, and keeps the others", () => {
  const set = read({ free: "roomHours=5, storageBytes=0", newPlan: "free" })
  expect(set).toEqual({
    allowances: { ...allowances, free: { ...allowances.free, roomHours: 5, storageBytes: 0 } },
    newPlan: "free",
    sustainedBytes: 10 * 1024 ** 2
  })
  expect(read({ sustained: "1" })).toMatchObject({ sustainedBytes: 1 })
  expect(read({ sustained: "off" })).toMatchObject({ sustainedBytes: Infinity })
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
  { newPlan: "" },
  { sustained: "0" },
  { sustained: "1.5" },
  { sustained: "none" }
])("[C-500] refuses %j by name", (given) => {
  const [name] = Object.keys(given)
  const variables: Record<string, string> = {
    free: "ATRIUM_ALLOWANCES_FREE",
    card: "ATRIUM_ALLOWANCES_CARD",
    newPlan: "ATRIUM_NEW_PLAN",
    sustained: "ATRIUM_SUSTAINED_BYTES"
  }
  expect(read(given)).toMatch(new RegExp(`^${variables[name ?? ""]}`))
})
