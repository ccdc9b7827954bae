import { writeDeploy } from "@atrium/domain/deployments/DeployBody"
import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import { ServerFrame } from "@atrium/wire/frames/Frame"
import { describe, expect, it } from "vitest"

import { RawClient } from "../testing/RawClient.ts"
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
  it("[origins.exact-compare] [D-30] answers its own pages, those of localhost, and no others", async () => {
    const { id, set } = await newProject("listed")
    await set({ origins: [game], audienceRole: "viewer" })
    const asks = [
      ["/v1/identity", { project: id }],
      [`/v1/lobby?project=${id}`, undefined]
    ] as const
    for (const [path, body] of asks) {
      const ask = async (origin?: string) => {
        const response = await fetch(`${service.url}${path}`, {
          headers: {
            ...(origin === undefined ? {} : { origin }),
            ...(body === undefined ? {} : { "content-type": "application/json" })
          },
          ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
        })
        const { error } = Object(await response.json())
        return [response.ok, error?.code, response.headers.get("access-control-allow-origin")]
      }
      expect(await ask()).toEqual([true, undefined, null])
      for (const origin of [game, "http://localhost:5173", "https://a.localhost"]) {
        expect(await ask(origin)).toEqual([true, undefined, origin])
      }
      for (const origin of [`${game}:8443`, "http://game.example", "null"]) {
        expect(await ask(origin)).toEqual([false, "E_ORIGIN", null])
      }
    }
  })

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

  it("[origins.exact-compare] [D-24] lets only such pages into its rooms, with any credential", async () => {
    const { id, set } = await newProject("rooms of a list")
    await deploy({ ...service, project: id }, ["rooms/probe.ts"])
    const identity = await call(service.url, "/v1/identity", { body: { project: id } })
    const token = String(identity.body["token"])
    await set({ origins: [game] })
    const join = (headers: Readonly<Record<string, string>>) => {
      const address = `${service.url.replace(/^http/, "ws")}/v1/rooms/${id}/seen`
      const client = new RawClient(address, headers)
      return { client, greeted: client.hello(token, "probe") }
    }
    for (const headers of [{}, { origin: game }, { origin: "http://localhost:1" }]) {
      const { client, greeted } = join(headers)
      expect((await greeted)[0]).toBe(ServerFrame.welcome)
      client.leave()
    }
    const { client, greeted } = join({ origin: "https://other.example" })
    expect(await greeted).toEqual([
      ServerFrame.error,
      "E_ORIGIN",
      "origin: not in the project's list: https://other.example"
    ])
    expect(await client.closed).toEqual({ code: 4403, reason: "E_ORIGIN" })
  })
})
