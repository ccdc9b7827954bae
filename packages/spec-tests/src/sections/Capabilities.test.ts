import { describe, expect, it } from "vitest"

import { requirements } from "../sections/Requirements.ts"
import { capabilitiesOf, featureOf, routeCapabilities } from "./Capabilities.ts"
import { namedBeside, namedButNotNeeded } from "./NamedCapabilities.ts"

const ids = requirements.map(({ id }) => id)

describe("capabilities", () => {
  it("[conformance.capabilities] of a route, an allowance, a command and a key of the file come from the row", () => {
    expect(capabilitiesOf("scope.rooms.get")).toEqual(["route GET /v1/projects/:id/rooms/:roomId"])
    expect(capabilitiesOf("rate.account.manage.address.burst")).toEqual([
      "route GET /v1/account",
      "route GET /v1/account/devices"
    ])
    expect(capabilitiesOf("cli.keys.jwt-mint")).toContain("command keys jwt-mint")
    expect(capabilitiesOf("file.validate.name-type")).toContain("command rollback")
    expect(capabilitiesOf("file.reads.none")).toEqual([
      "command simulate",
      "command login",
      "command whoami"
    ])
    expect(capabilitiesOf("keys.secret.form")).toEqual([])
  })

  it("[conformance.capabilities] of the tool are every command that a statement names", () => {
    expect(capabilitiesOf("file.project.create-when-none")).toEqual([
      "command deploy",
      "command deploy --static"
    ])
    expect(capabilitiesOf("file.validate.absent")).toEqual(["command dev"])
    expect(capabilitiesOf("file.unknown-keys-ignored")).toEqual([])
    expect(capabilitiesOf("audienceRole.enables-viewers")).toEqual([])
  })

  it("[conformance.capabilities] that are named by hand are of requirements that there are", () => {
    for (const id of [...Object.keys(namedBeside), ...Object.keys(namedButNotNeeded)]) {
      expect(ids).toContain(id)
    }
  })

  it("[conformance.capabilities] stand for every route and for everything that a key cannot do", () => {
    const mustName = ids.filter((id) => /^(?:route|scope|auth\.key\.cannot)\./.test(id))
    // Each resource that a key cannot read or write is declared as a feature.
    const byFeature = requirements.filter(({ features }) => features.length > 0).map(({ id }) => id)
    const silent = mustName.filter((id) => capabilitiesOf(id).length === 0)
    expect(silent.filter((id) => !byFeature.includes(id))).toEqual([])
  })

  it("[conformance.capabilities] belong to a feature where an implementation may lack them", () => {
    const open = routeCapabilities().filter((one) => !one.includes("/v1/projects/"))
    const base = open.filter((one) => featureOf(one) === null)
    expect(base).toEqual(["route POST /v1/identity"])
    expect(featureOf("command deploy --static")).toBe("staticSites")
    expect(featureOf("command deploy")).toBeNull()
    expect(featureOf("route POST /v1/identity/assertion")).toBe("assertions")
  })
})
