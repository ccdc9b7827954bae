import { describe, expect, test } from "vitest"

import { type RoleCandidate, rolesOf } from "./BodyRoles.ts"
import { predictNumbers } from "./PredictOptions.ts"

const ball: RoleCandidate = { own: false, dynamic: true, distance: 1, was: null }

const balls = (count: number, more: Partial<RoleCandidate> = {}): ReadonlyArray<RoleCandidate> =>
  Array.from({ length: count }, () => ({ ...ball, ...more }))

/** How many bodies have each role. */
const counted = (
  bodies: ReadonlyArray<RoleCandidate>,
  given: Parameters<typeof predictNumbers>[0] = {}
) => {
  const roles = rolesOf(bodies, predictNumbers(given))
  return ["own", "predicted", "proxy", "shown"].map(
    (role) => roles.filter((each) => each === role).length
  )
}

describe("budgets", () => {
  test.each([
    [64, [0, 64, 0, 0]],
    [65, [0, 64, 1, 0]],
    [320, [0, 64, 256, 0]],
    [321, [0, 64, 256, 1]]
  ])("[predict.bodies] [predict.proxies] treats %i bodies of others as %j", (count, roles) => {
    expect(counted(balls(count))).toEqual(roles)
  })

  test("[predict.bodies] own bodies count for nothing, however many they are", () => {
    const bodies = [...balls(100, { own: true }), ...balls(65)]
    expect(counted(bodies)).toEqual([100, 64, 1, 0])
  })

  test("[C-866] takes other budgets, also none", () => {
    expect(counted(balls(9), { maxPredictedBodies: 2, maxProxyBodies: 3 })).toEqual([0, 2, 3, 4])
    expect(counted(balls(9), { maxPredictedBodies: 0, maxProxyBodies: 0 })).toEqual([0, 0, 0, 9])
  })

  test.each([
    ["maxPredictedBodies", -1],
    ["maxPredictedBodies", 1.5],
    ["maxPredictedBodies", Number.NaN],
    ["maxPredictedBodies", Number.POSITIVE_INFINITY],
    ["maxPredictedBodies", null],
    ["maxProxyBodies", -1],
    ["maxProxyBodies", "64"]
  ])("[C-866] refuses %s = %s by name", (name, value) => {
    const given = { [name]: value as number }
    expect(() => predictNumbers(given)).toThrow(RangeError)
    expect(() => predictNumbers(given)).toThrow(
      `predict: ${name}: must be a whole number from 0 on, not ${String(value)}`
    )
  })
})

describe("places", () => {
  const budgets = predictNumbers({ maxPredictedBodies: 1, maxProxyBodies: 1 })
  const roles = (...bodies: ReadonlyArray<Partial<RoleCandidate>>) =>
    rolesOf(
      bodies.map((each) => ({ ...ball, ...each })),
      budgets
    )

  test("[C-866] the nearest are predicted, and the next ones are proxies", () => {
    const far = [{ distance: 3 }, { distance: 1 }, { distance: 2 }]
    expect(roles(...far)).toEqual(["shown", "predicted", "proxy"])
  })

  test("[C-866] a body keeps its place until another one is clearly nearer", () => {
    const was = { distance: 10, was: "predicted" } as const
    expect(roles(was, { distance: 9, was: "proxy" })).toEqual(["predicted", "proxy"])
    expect(roles(was, { distance: 6, was: "proxy" })).toEqual(["proxy", "predicted"])
  })

  test("[C-866] a body that only the room moves is a proxy, and takes no place of a predicted one", () => {
    expect(roles({ dynamic: false }, { distance: 2 })).toEqual(["proxy", "predicted"])
  })
})
