import { execFile } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

import { call, deploy, makeHome, type RunningService } from "@atrium/api/testing/RunningService"
import { Client } from "@atrium/sdk/client"
import { describe, expect, it } from "vitest"

import { cheering } from "./newNoun/cheering.ts"
import { checkoutWithNoun, listedIn, noun } from "./newNoun/NewNoun.ts"

/** Asks a row of the suite of the copy. @returns the report, as the terminal shows it */
const suiteOf = async (copy: string, { url, token }: RunningService, row: string) => {
  const run = [join(copy, "packages/spec-tests/src/main.ts"), "run", "--only", row]
  const place = ["--base-url", url, "--report", "terminal"]
  const { stdout } = await promisify(execFile)(process.execPath, [...run, ...place], {
    env: { ...process.env, CONFORMANCE_ACCOUNT_0: token, CONFORMANCE_ACCOUNT_1: token }
  })
  return stdout
}

describe("a new open endpoint with a rate, a table, an in-room call and a check", () => {
  it("[C-272] touches the files that AGENTS.md lists: eight of product, four of proof, two lines", () => {
    expect(listedIn("Product").toSorted()).toEqual(noun.product.toSorted())
    expect(noun.product.length).toBeLessThanOrEqual(8)
    expect(listedIn("Lines of lists")).toEqual(noun.lists)
    expect(listedIn("Proof").toSorted()).toEqual(noun.proof.toSorted())
    expect(noun.proof.length).toBeLessThanOrEqual(4)
  })

  it("[C-272] is served: its route, rate and refusals, its in-room call, and its check passes", async () => {
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
      expect(await suiteOf(copy, service, "route.cheers.add")).toContain("1 pass")
      const { url, token } = service
      const made = await call(url, "/v1/projects", { token, body: { name: "cheering" } })
      const project = String(made.body["id"])
      const folder = join(import.meta.dirname, "newNoun")
      expect(await deploy({ url, token, project }, ["cheering.ts"], folder)).toMatchObject({
        status: 201
      })
      const room = await new Client(url, { project }).joinOrCreate(cheering, { roomId: "stands" })
      expect(await cheer(project)).toEqual({ status: 201, body: { cheers: 1 } })
      expect(await room.request("cheer", { by: 3 })).toEqual({ cheers: 4 })
      await expect(room.request("cheer", { by: 10 })).rejects.toMatchObject({
        code: "E_CALL_INVALID"
      })
      await expect(room.request("cheer", { by: 1 })).rejects.toMatchObject({ code: "E_CALL_RATE" })
      await room.leave()
      expect(await service.stop()).toBe(0)
    } finally {
      await home.remove()
      rmSync(copy, { recursive: true, force: true })
    }
  })
})
