import { writeDeploy } from "@atrium/domain/deployments/DeployBody"
import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import { describe, expect, it } from "vitest"

import { codeOf, messageOf } from "../testing/RoomsUnderTest.ts"
import { call, deploy } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()
const game = "https://game.example"

const newProject = async (name: string) => {
  const { body } = await call(service.url, "/v1/projects", { token: service.token, body: { name } })
  const id = String(body["id"])
  const path = `/v1/projects/${id}`
  return {
    id,
    read: async () => (await call(service.url, path, { token: service.token })).body,
    set: (settings: object) =>
      call(service.url, path, {
        token: service.token,
        method: "PATCH",
        body: { name, ...settings }
      }),
    /** A deployment as it is on the wire. */
    upload: async (body: Uint8Array, settingsBytes: string | number) => {
      const query = settingsBytes === 0 ? "" : `?settingsBytes=${settingsBytes}`
      const response = await fetch(`${service.url}${path}/deployments${query}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${service.token}`,
          "content-type": "application/javascript"
        },
        body: new Uint8Array(body)
      })
      return { status: response.status, body: Object(await response.json()) }
    }
  }
}

const bundle = new TextEncoder().encode("exports.rooms = {}")

describe("settings before a bundle", () => {
  it("[C-321] are refused with the words of PATCH, before the bundle is looked at", async () => {
    const project = await newProject("refusing")
    const before = await project.read()
    const refusals: ReadonlyArray<readonly [settings: object, fault: string]> = [
      [
        { origins: ["a.example"] },
        "field origins: no bare origin such as https://game.example: a.example"
      ],
      [
        { queues: { odd: { size: 1 } } },
        "field queues.odd.size: must be a whole number from 2 to 64"
      ],
      [{ preRelease: 1 }, "field preRelease: must be true or false"]
    ]
    for (const [settings, fault] of refusals) {
      const text = Buffer.from(JSON.stringify(settings))
      const sent = await project.upload(Buffer.concat([text, bundle]), text.length)
      expect([sent.status, codeOf(sent), messageOf(sent)]).toEqual([400, "E_BAD_REQUEST", fault])
      expect(messageOf(await project.set(settings))).toBe(fault)
    }
    // A good setting beside a bundle that does not load is not kept either.
    const { body, settingsBytes } = writeDeploy({ settings: { origins: [] }, bundle })
    expect(codeOf(await project.upload(body, settingsBytes))).toBe("E_BUNDLE_INVALID")
    expect(await project.read()).toEqual(before)
  })

  it("[C-321] are at most 128 KiB of the body, and lie within it", async () => {
    const project = await newProject("bounded")
    const { max } = DeploymentLimits.deploySettingsBytes
    const padded = Buffer.concat([Buffer.from("{}".padEnd(max)), bundle])
    expect(codeOf(await project.upload(padded, max))).toBe("E_BUNDLE_INVALID")
    for (const bytes of [max + 1, 1, -2, "2.5", "x"]) {
      expect(messageOf(await project.upload(padded, bytes))).toBe(
        `query parameter settingsBytes: must be a whole number from 2 to ${max}`
      )
    }
    expect(messageOf(await project.upload(bundle, 100))).toBe(
      `settingsBytes: the body has ${bundle.length} bytes`
    )
  })
})

describe("a project that lists its origins", () => {
  it("[C-400] tells a page of another origin nothing about rooms and their audience", async () => {
    const { id, set } = await newProject("closed")
    await set({ origins: [game] })
    const mint = async (origin: string) => {
      const response = await fetch(`${service.url}/v1/audience`, {
        method: "POST",
        headers: { origin, "content-type": "application/json" },
        body: JSON.stringify({ project: id, roomId: "hall" })
      })
      return [response.status, Object(await response.json()).error.code]
    }
    const other = "https://other.example"
    expect(await mint(game)).toEqual([403, "E_AUDIENCE_DISABLED"])
    expect(await mint(other)).toEqual([403, "E_ORIGIN"])
    await deploy({ ...service, project: id }, ["rooms/boardSchema.ts"])
    await set({ audienceRole: "viewer" })
    expect(await mint(game)).toEqual([404, "E_ROOM_NOT_FOUND"])
    expect(await mint(other)).toEqual([403, "E_ORIGIN"])
  })
})
