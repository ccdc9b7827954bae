import { describe, expect, it } from "vitest"

import { codeOf, messageOf } from "../testing/RoomsUnderTest.ts"
import { call } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()

/** A project of its own, and its caps. */
const newProject = async () => {
  const ask = (path: string, request: { method?: string; body?: unknown } = {}) =>
    call(service.url, `/v1/projects${path}`, { token: service.token, ...request })
  const id = String((await ask("", { body: { name: "capped" } })).body["id"])
  return {
    id,
    read: () => ask(`/${id}/caps`),
    set: (body: unknown) => ask(`/${id}/caps`, { method: "PATCH", body }),
    ceilings: async () => ceilingsIn((await ask(`/${id}/caps`)).body)
  }
}

const ceilingsIn = (body: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(Object(body["meters"])).map(([meter, standing]) => [
      meter,
      Object(standing).ceiling
    ])
  )

const none = { roomHours: null, voiceMinutes: null, storageBytes: null, dataOutBytes: null }

describe("PATCH caps", () => {
  it("[C-70] a ceiling of 0 is a wall at once, the largest whole number is kept", async () => {
    const project = await newProject()
    const answer = await project.set({
      caps: { roomHours: 0, dataOutBytes: Number.MAX_SAFE_INTEGER }
    })
    const meters = Object(answer.body["meters"])
    expect([meters.roomHours.state, meters.dataOutBytes.state]).toEqual(["walled", "ok"])
    expect(await project.ceilings()).toEqual({
      ...none,
      roomHours: 0,
      dataOutBytes: Number.MAX_SAFE_INTEGER
    })
  })

  const aCeiling = "must be a whole number of 0 or more, or null"
  it.each<readonly [body: unknown, says: string]>([
    [{ caps: { roomHours: "100" } }, `field caps.roomHours: ${aCeiling}`],
    [{ caps: { dataOutBytes: 2 ** 53 } }, `field caps.dataOutBytes: ${aCeiling}`],
    [{ caps: { dataOutBytes: 1e300 } }, `field caps.dataOutBytes: ${aCeiling}`],
    [{ caps: { roomHours: 1 }, tier: "free" }, "unknown field: tier"],
    [{ roomHours: 1 }, ""],
    [{}, "field caps"],
    [{ caps: null }, "field caps"],
    [{ caps: [] }, "field caps"],
    [[], "the body"]
  ])(
    "[D-10] [caps.body-shape] %j is refused by name, and nothing of it set",
    async (body, says) => {
      const project = await newProject()
      await project.set({ caps: { storageBytes: 5 } })
      // What is right in it is not set either.
      const withMore =
        typeof body === "object" && body !== null && "caps" in body && !Array.isArray(body.caps)
          ? { ...body, caps: body.caps === null ? null : { voiceMinutes: 9, ...body.caps } }
          : body
      const answer = await project.set(withMore)
      expect([answer.status, codeOf(answer)]).toEqual([400, "E_BAD_REQUEST"])
      expect(messageOf(answer)).toContain(says)
      expect(await project.ceilings()).toEqual({ ...none, storageBytes: 5 })
    }
  )
})
