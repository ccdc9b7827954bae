import { rmSync } from "node:fs"
import { join } from "node:path"

import { call, makeHome } from "@atrium/api/testing/RunningService"
import { describe, expect, it } from "vitest"

import { checkoutWithNoun, listedIn, noun } from "./newNoun/NewNoun.ts"

describe("a new open endpoint with a rate and a table", () => {
  it("[C-272] touches the files that AGENTS.md lists: eight of product, four of proof, two lines", () => {
    expect(listedIn("Product").toSorted()).toEqual(noun.product.toSorted())
    expect(noun.product.length).toBeLessThanOrEqual(8)
    expect(listedIn("Lines of lists")).toEqual(noun.lists)
    const proof = listedIn("Proof")
    expect(proof).toEqual(expect.arrayContaining(noun.proof))
    expect(proof.length).toBeLessThanOrEqual(4)
  })

  it("[C-272] is served: its route, rate and refusals, and its place in the description", async () => {
    const copy = checkoutWithNoun()
    const home = await makeHome()
    try {
      const service = await home.start({ program: join(copy, "packages/api/src/main.ts") })
      const cheer = (project: string) => call(service.url, "/v1/cheers", { body: { project } })
      expect(await cheer(service.project)).toEqual({ status: 201, body: { cheers: 1 } })
      expect(await cheer(service.project)).toEqual({ status: 201, body: { cheers: 2 } })
      const past = await cheer(service.project)
      expect([past.status, Object(past.body["error"]).code]).toEqual([429, "E_RATE_LIMITED"])
      expect(await cheer("p_0000000000000000")).toMatchObject({ status: 404 })
      expect(await call(service.url, "/v1/cheers")).toMatchObject({
        status: 405,
        body: { error: { message: "GET: only POST" } }
      })
      const { body } = await call(service.url, "/openapi.json")
      expect(Object.keys(Object(body["paths"]))).toContain("/v1/cheers")
      expect(await service.stop()).toBe(0)
    } finally {
      await home.remove()
      rmSync(copy, { recursive: true, force: true })
    }
  })
})
