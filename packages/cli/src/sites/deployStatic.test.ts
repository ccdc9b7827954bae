import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { describe, expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { tinyRoom } from "../testing/GameFolder.ts"
import {
  createdId,
  type RecordedRequest,
  refusal,
  settingsOf
} from "../testing/RecordingService.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"
import { SkippingClock } from "../testing/SkippingClock.ts"

const id = "p_0123456789abcdef"

const service = serviceOfEachTest()
const game = gameOfEachTest()

const deploy = (...argv: ReadonlyArray<string>) =>
  runCommand(["deploy", ...argv], {
    cwd: game.path,
    env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url },
    stdin: "",
    clock: new SkippingClock()
  })
const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")
const page = "<h1>Tiny</h1>"
const script = "play()"

/** A project with a page. */
const write = (keys: object = {}, files: Readonly<Record<string, string>> = {}) =>
  game.write({
    "service.json": JSON.stringify({ project: id, static: "dist", ...keys }),
    "dist/index.html": page,
    "dist/js/main.js": script,
    ...files
  })

const base = `/v1/projects/${id}`
const shortOf = ({ method, path }: RecordedRequest): string =>
  `${method} ${path
    .replace(base, "")
    .replace(/\?.*/, "")
    .replace(/[0-9a-f]{60}$/, "")}`
const asked = (): ReadonlyArray<string> => service.requests.map(shortOf)
const begun = (): ReadonlyArray<{ readonly label?: string; readonly settings?: unknown }> =>
  service.requests
    .filter(({ path }) => path.endsWith("/site/uploads"))
    .map(({ body }) => JSON.parse(body))
const putOf = (text: string) => `PUT /site/uploads/u_1/files/${hashOf(text).slice(0, 4)}`
const upload = ["POST /site/uploads", putOf(page), putOf(script), "POST /site/uploads/u_1/finish"]

describe("atrium deploy --static", () => {
  it("[file.static.static-flag-only] [C-374] sends the files, then switches, and says so", async () => {
    await write({}, { "room.ts": tinyRoom() })
    expect(await deploy("--static")).toEqual({
      code: 0,
      out: `project  ${id}\nsite     2 files, 2 uploaded, 19 bytes; http://kept.localhost:8787`,
      err: ""
    })
    expect(asked().toSorted()).toEqual(upload.toSorted())
    expect(asked()[0]).toBe(upload[0])
    expect(asked().at(-1)).toBe(upload.at(-1))
    expect(begun()).toEqual([
      {
        files: [
          { path: "index.html", hash: hashOf(page), bytes: 13 },
          { path: "js/main.js", hash: hashOf(script), bytes: 6 }
        ]
      }
    ])
    const sent = service.requests.find(({ method, body }) => method === "PUT" && body === script)
    expect(sent).toMatchObject({
      authorization: `Bearer ${loginToken}`,
      contentType: "application/octet-stream"
    })
  })

  it.each<readonly [ReadonlyArray<string>, { readonly label: string; readonly path: string }]>([
    [["--static"], { label: "chess", path: "dist" }],
    [["--static", "out"], { label: "chess", path: "out" }],
    [["--static=out"], { label: "chess", path: "out" }],
    [["--static", "--label", "x"], { label: "x", path: "dist" }],
    [["--label=x", "--static", "out", "--json"], { label: "x", path: "out" }]
  ])("[file.static.flags-win] [C-373] takes %j", async (argv, { label, path }) => {
    await write({ static: { dir: "dist", label: "chess" } }, { "out/index.html": "out" })
    expect(await deploy(...argv)).toMatchObject({ code: 0 })
    const file = { path: "index.html", hash: hashOf(path === "out" ? "out" : page) }
    expect(begun()).toMatchObject([
      { label, files: expect.arrayContaining([expect.objectContaining(file)]) }
    ])
  })

  it("[file.static.deploy-order] [file.static.no-static-flag] deploy sends rooms, then the site; --no-static the rooms alone", async () => {
    await write({ audienceRole: "viewer" }, { "room.ts": tinyRoom() })
    const both = await deploy()
    expect(both.out).toMatch(/^project {2}.*\nversion {2}1\nbytes .*\nrooms .*\nsite {5}2 files, /)
    expect(asked()[0]).toBe("POST /deployments")
    expect(asked().slice(1).toSorted()).toEqual(upload.toSorted())
    expect([settingsOf(first()), begun()[0]?.settings]).toEqual([
      { audienceRole: "viewer" },
      undefined
    ])
    service.requests.length = 0
    expect(await deploy("--no-static")).toMatchObject({ code: 0, err: "" })
    expect(asked()).toEqual(["POST /deployments"])
  })

  it("[file.static.without-room-valid] a project with a page and no room is deployed, and with --no-static refused", async () => {
    await write()
    expect(await deploy("--json")).toMatchObject({ code: 0, err: "" })
    expect(asked()).toHaveLength(4)
    const { code, err } = await deploy("--no-static")
    expect(code).toBe(2)
    expect(err).toMatch(/^\.: holds no room file/)
  })

  it("[file.project.create-when-none] [file.validate.project-type.absent] without an id it creates the project and writes it down", async () => {
    for (const project of [undefined, 5, ""]) {
      service.requests.length = 0
      await write({ project, name: "Tiny", origins: [] })
      expect(await deploy("--static")).toMatchObject({ code: 0, err: "" })
      expect(asked()[0]).toBe("POST /v1/projects")
      expect(first().body).toBe('{"name":"Tiny"}')
      const text = await readFile(join(game.path, "service.json"), "utf8")
      expect(JSON.parse(text)).toEqual({
        project: createdId,
        name: "Tiny",
        origins: [],
        static: "dist"
      })
    }
  })

  it("[file.reads.deploy-static] brings the declared settings and the name, and looks at no client", async () => {
    const settings = {
      queues: { duel: { size: 2 } },
      boards: {},
      origins: ["https://game.example"],
      audienceRole: null,
      preRelease: false
    }
    await write({ ...settings, name: "New", client: 5 })
    expect(await deploy("--static")).toMatchObject({ code: 0, err: "" })
    expect(asked().slice(0, 3)).toEqual([`GET `, "PUT /name", "POST /site/uploads"])
    expect(begun()[0]?.settings).toEqual(settings)
    const named = await deploy("--static", "--project", "p_named")
    expect(named).toMatchObject({ code: 0 })
    expect(named.out).toContain("p_named")
  })

  it.each<readonly [id: string, keys: object, fault: string]>([
    ["file.validate.name-type", { name: "" }, "name: must be a non-empty string"],
    ["file.validate.static-type", { static: {} }, "static: must be the path of a folder"],
    ["file.validate.queues", { queues: [] }, "field queues: must be an object of queues by name"],
    ["file.validate.preRelease-type", { preRelease: 1 }, "field preRelease: must be true or false"]
  ])("[%s] refuses %j by name, before anything is sent", async (_, keys, fault) => {
    await write(keys)
    const { code, err } = await deploy("--static")
    expect(code).toBe(2)
    expect(err).toContain(`service.json: ${fault}`)
    expect(asked()).toEqual([])
  })

  it("[file.static.neither-refused] refuses to deploy a site that is named nowhere, and room files beside --static", async () => {
    await write({ static: undefined }, { "room.ts": tinyRoom() })
    const { code, err } = await deploy("--static")
    expect(code).toBe(2)
    expect(err).toContain('say --static <dir>, or "static": "<dir>" in service.json')
    expect(await deploy("--static=dist", "room.ts")).toMatchObject({
      code: 2,
      err: "room.ts: --static deploys the site alone; leave the rooms out"
    })
    expect(asked()).toEqual([])
  })

  it("[C-370] warns of a site without index.html and of room code in it", async () => {
    await write({ static: "." }, { "room.ts": tinyRoom(), "index.html": "" })
    expect((await deploy("--static")).err).toBe(
      "warning: ./room.ts: is room code, which every visitor can read then"
    )
    await write({ static: "dist/js" })
    expect((await deploy("--static")).err).toBe(
      "warning: dist/js: holds no index.html, so that the address of the site shows nothing"
    )
  })
})

const first = (): RecordedRequest => {
  const [request] = service.requests
  if (request === undefined) throw new Error("nothing was asked")
  return request
}

describe("the upload of a site", () => {
  it("[C-374] sends what is missing alone, one file for each content", async () => {
    await write({}, { "dist/copy.js": script })
    service.answer = ({ path }) =>
      path.endsWith("/site/uploads")
        ? {
            status: 201,
            body: {
              upload: "u_1",
              label: "x",
              missing: [hashOf(script)],
              expiresAt: "2026-01-01T01:00:00.000Z"
            }
          }
        : null
    expect(JSON.parse((await deploy("--static", "--json")).out)).toMatchObject({
      project: id,
      created: false,
      site: { uploaded: 1, uploadedBytes: 6 },
      warnings: []
    })
    expect(asked()).toEqual([upload[0], putOf(script), upload[3]])
  })

  it("[C-374] a connection that is cut is tried three times more, and no longer", async () => {
    await write()
    let cuts = 0
    service.answer = ({ body, path }) =>
      (body === script || path.endsWith("/finish")) && (cuts += 1) % 3 !== 0 ? "cut" : null
    expect(await deploy("--static")).toMatchObject({ code: 0, err: "" })
    expect(cuts).toBe(6)
    service.requests.length = 0
    service.answer = ({ body }) => (body === script ? "cut" : null)
    expect(await deploy("--static")).toMatchObject({ code: 1, out: "" })
    expect(asked().filter((each) => each === putOf(script))).toHaveLength(4)
    expect(asked()).not.toContain(upload[3])
  })

  it("[C-374] a busy service is asked again, as a deploy of rooms asks it", async () => {
    await write()
    let busy = 2
    service.answer = ({ body }) =>
      body === script && busy-- > 0
        ? { ...refusal(503, "E_NOT_READY", "later"), headers: { "retry-after": "1" } }
        : null
    expect(await deploy("--static")).toMatchObject({ code: 0 })
    expect(asked().filter((each) => each === putOf(script))).toHaveLength(3)
  })

  it("[C-374] a file that changes after it was listed is named, and nothing is switched", async () => {
    for (const text of ["other!", "more than it was", ""]) {
      await write()
      service.requests.length = 0
      service.answer = async ({ path }) => {
        if (path.endsWith("/site/uploads")) await game.write({ "dist/js/main.js": text })
        return null
      }
      expect(await deploy("--static")).toEqual({
        code: 2,
        out: "",
        err: "dist/js/main.js: changed while it was read; deploy again when the build is done"
      })
      expect(asked()).not.toContain(upload[3])
      expect(service.requests.filter(({ body }) => text !== "" && body === text)).toEqual([])
    }
  })

  it("[C-374] shows a refusal of the service, and says that the rooms are deployed already", async () => {
    await write({ static: { dir: "dist", label: "Chess" } }, { "room.ts": tinyRoom() })
    service.answer = ({ path }) =>
      path.endsWith("/site/uploads") ? refusal(400, "E_BAD_REQUEST", "label: no") : null
    const failure = "E_BAD_REQUEST: label: no"
    expect(await deploy("--static")).toEqual({ code: 1, out: "", err: failure })
    const { code, out, err } = await deploy()
    expect(code).toBe(1)
    expect(out).toMatch(/\nversion {2}1\n/)
    expect(err).toBe(
      `${failure}\nversion 1 of the rooms is deployed; the site is as before: \`atrium deploy --static\` deploys it alone`
    )
  })

  it("[file.project.unknown-stops] says where the id of an unknown project is from", async () => {
    await write()
    service.answer = () => refusal(404, "E_NOT_FOUND", "not found")
    expect((await deploy("--static")).err).toBe(
      `E_NOT_FOUND: not found\nyour account has no project ${id}, which is from service.json`
    )
  })
})
