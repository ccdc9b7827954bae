import { describe, expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { boardSchema, tinyRoom } from "../testing/GameFolder.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"
const other = "p_fedcba9876543210"

const service = serviceOfEachTest()
const game = gameOfEachTest()

const deploy = (...argv: ReadonlyArray<string>) =>
  runCommand(["deploy", ...argv], {
    cwd: game.path,
    env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url }
  })
const asked = (): ReadonlyArray<string> =>
  service.requests.map(({ method, path }) => `${method} ${path}`)
const bundleHas = (text: string): boolean | undefined => service.requests[0]?.body.includes(text)

describe("schemas without room code", () => {
  it.each(["schema.ts", "schema.js", "src/schema.ts", "src/schema.js"])(
    "[C-111] %s is deployed where there is no room file",
    async (name) => {
      await game.write({ [name]: boardSchema(), "service.json": `{"project":"${id}"}` })
      expect(await deploy()).toMatchObject({ code: 0, err: "" })
      expect(asked()).toEqual([`POST /v1/projects/${id}/deployments`])
      expect(bundleHas(`"${name}#"`)).toBe(true)
    }
  )

  it("[C-111] a line says that the rooms run no code", async () => {
    const schemaHash = "0123456789abcdef"
    const roomTypes = [{ type: "board", class: "standard", maxClients: 64, schemaHash }]
    service.answer = () => ({
      status: 201,
      body: {
        version: 3,
        bytes: 9,
        createdAt: "2026-01-01T00:00:00.000Z",
        roomTypes,
        relay: true,
        rollbackOf: null,
        made: true
      }
    })
    await game.write({ "schema.ts": boardSchema(), "service.json": `{"project":"${id}"}` })
    const { code, out } = await deploy()
    expect({ code, rooms: out.split("\n").at(-1) }).toEqual({
      code: 0,
      rooms: "rooms    board (relay, up to 64 clients)"
    })
  })

  it("[C-111] a room file goes first, wherever it is", async () => {
    await game.write({
      "schema.ts": boardSchema(),
      "src/room.js": tinyRoom(),
      "service.json": `{"project":"${id}"}`
    })
    expect(await deploy()).toMatchObject({ code: 0 })
    expect([bundleHas('"src/room.js#"'), bundleHas('"schema.ts#"')]).toEqual([true, false])
  })

  it("[C-111] one of another name is named, and may stand beside its folder's room file", async () => {
    await game.write({
      "room.ts": tinyRoom(),
      "shapes.ts": boardSchema(),
      "service.json": `{"project":"${id}"}`
    })
    expect(await deploy("shapes.ts")).toMatchObject({ code: 0 })
    expect([bundleHas('"shapes.ts#"'), bundleHas('"room.ts#"')]).toEqual([true, false])
  })

  it("[file.resolve.deploy] the schema is asked last, and counts only where there is no room", async () => {
    await game.write({ "schema.ts": boardSchema(`project: "${other}"`) })
    expect(await deploy()).toMatchObject({ code: 0 })
    expect(asked()).toEqual([`POST /v1/projects/${other}/deployments`])
    const own = tinyRoom(`project: "${id}"`)
    expect(await game.write({ "room.ts": `export * from "./schema.ts"\n${own}` })).toBeUndefined()
    expect(await deploy()).toMatchObject({ code: 0 })
    expect(asked()[1]).toBe(`POST /v1/projects/${id}/deployments`)
  })
})
