import fc from "fast-check"
import { describe, expect, it } from "vitest"

import { accountPages, addressOf, projectPages, type Route, routeOf } from "./Routes.ts"

const sign = fc.constantFrom(..."aZ0-._~:/?#%&+ \u202e<'\"ü🎲")
const id = fc.array(sign, { minLength: 1, maxLength: 8 }).map((signs) => signs.join(""))
const route: fc.Arbitrary<Exclude<Route, { readonly _tag: "Unknown" }>> = fc.oneof(
  fc.constant({ _tag: "Projects" } as const),
  fc.record({ _tag: fc.constant("Account" as const), page: fc.constantFrom(...accountPages) }),
  fc.record({
    _tag: fc.constant("Project" as const),
    project: id,
    page: fc.constantFrom(...projectPages)
  }),
  fc.record({ _tag: fc.constantFrom("Room" as const, "Saves" as const), project: id, room: id })
)

describe("addresses of the console", () => {
  it("[C-761] an address leads to its page, whatever the ids in it", () => {
    fc.assert(
      fc.property(route, (each) => {
        expect(routeOf(addressOf(each))).toEqual(each)
      })
    )
  })

  it("[C-761] the address of a project alone leads to its first page", () => {
    expect(routeOf("/console/p/dev")).toEqual({ _tag: "Project", project: "dev", page: "rooms" })
  })

  it.each([
    "/",
    "/consoles",
    "/console/nowhere",
    "/console/fleet/a",
    "/console/p",
    "/console/p/dev/nothing",
    "/console/p/dev/rooms/a/b",
    "/console/p/dev/rooms/a/saves/b",
    "/console/p/dev/hour/a/saves",
    "/console/p/dev/hour/a",
    "/console/%zz"
  ])("[C-761] %s names nothing", (path) => {
    expect(routeOf(path)).toEqual({ _tag: "Unknown" })
  })
})
