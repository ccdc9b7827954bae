import { randomBytes } from "node:crypto"
import { connect } from "node:net"
import { brotliDecompressSync } from "node:zlib"

import { until } from "@atrium/domain/testing/Until"
import { beforeAll, describe, expect, it } from "vitest"

import { loginSteps } from "../testing/LoginSteps.ts"
import { figureIn, metricsText } from "../testing/Runners.ts"
import { call } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"
import { askHost, manifestOf, siteSteps } from "../testing/SiteSteps.ts"

const service = sharedService()
let project = ""
const steps = siteSteps(service, () => project)
const { startSession } = loginSteps(service)
/** No other file of the worker has it. */
const label = `story-${randomBytes(4).toString("hex")}`
const host = `${label}.localhost:8787`
const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  askHost(service.url, { host, path, headers, method })

const script = "let a = 1\n".repeat(1000)
const image = randomBytes(300 * 1024)
const site = {
  "index.html": "<title>one</title>",
  "404.html": "<title>nowhere</title>",
  "docs/index.html": "docs",
  "assets/app-B7x9kQ2z.js": script,
  "a b.png": image
}

beforeAll(async () => {
  const { body } = await call(service.url, "/v1/projects", {
    token: service.token,
    body: { name: "Site story" }
  })
  project = String(body["id"])
})

describe("a site", () => {
  it("[C-357] is served as a whole once all of its content has come", async () => {
    expect(await steps.ask("")).toMatchObject({
      status: 404,
      body: { error: { code: "E_SITE_NOT_FOUND" } }
    })
    const begun = await steps.begin(site, { label })
    expect(begun).toMatchObject({ status: 201, body: { label, missing: expect.any(Array) } })
    const upload = String(begun.body["upload"])
    expect(upload).toMatch(/^u_[0-9a-f]{16}$/)
    const [, , , app] = manifestOf(site)
    expect(await steps.put(upload, "another", app?.hash)).toMatchObject({
      status: 400,
      body: { error: { code: "E_SITE_FILE" } }
    })
    expect(await steps.put(upload, `${script.slice(1)}x`, app?.hash)).toMatchObject({
      status: 400,
      body: { error: { code: "E_SITE_FILE", message: "body: not the content of this hash" } }
    })
    for (const content of [script, site["index.html"], site["404.html"], "docs"]) {
      expect((await steps.put(upload, content)).status).toBe(200)
    }
    expect(await steps.finish(upload)).toMatchObject({
      status: 409,
      body: { error: { code: "E_UPLOAD_INCOMPLETE", message: "upload: 1 files have not come" } }
    })
    expect((await get("/")).status).toBe(404)
    expect((await steps.put(upload, image)).status).toBe(200)
    const finished = await steps.finish(upload)
    const url = `http://${label}.localhost:${new URL(service.url).port}`
    const shown = { label, url, files: 5, bytes: 10_000 + image.length + 18 + 22 + 4 }
    expect(finished).toEqual({ status: 201, body: { ...shown, changed: 5 } })
    expect((await steps.ask("")).body).toEqual({ ...shown, deployedAt: expect.any(String) })
    const record = await call(service.url, `/v1/projects/${project}`, { token: service.token })
    expect(record.body["static"]).toEqual({ label, url })
  })

  it("[C-359] is read as a browser reads it", async () => {
    const page = await get("/")
    expect([page.status, page.body.toString()]).toEqual([200, "<title>one</title>"])
    expect(page.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-length": "18",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff"
    })
    const known = await get("/", { "if-none-match": String(page.headers["etag"]) })
    expect([known.status, known.body.length]).toEqual([304, 0])
    const app = await get("/assets/app-B7x9kQ2z.js", { "accept-encoding": "gzip, br" })
    expect(app.headers).toMatchObject({
      "content-encoding": "br",
      "content-length": String(app.body.length),
      "cache-control": "public, max-age=31536000, immutable"
    })
    expect(brotliDecompressSync(app.body).toString()).toBe(script)
    expect((await get("/a%20b.png")).body.equals(image)).toBe(true)
    const part = await get("/a%20b.png", { range: "bytes=131000-262200" })
    expect([part.status, part.headers["content-range"]]).toEqual([
      206,
      `bytes 131000-262200/${image.length}`
    ])
    expect(part.body.equals(image.subarray(131_000, 262_201))).toBe(true)
    const head = await get("/a%20b.png", {}, "HEAD")
    expect([head.status, head.headers["content-length"], head.body.length]).toEqual([
      200,
      String(image.length),
      0
    ])
    expect(await get("/docs?a=1")).toMatchObject({
      status: 301,
      headers: { location: "/docs/?a=1" }
    })
    const missing = await get("/docs/%2e%2e/%00")
    expect([missing.status, missing.body.toString()]).toEqual([404, "<title>nowhere</title>"])
    expect((await get("/", {}, "POST")).status).toBe(405)
  })

  it("[C-359] counts its answers by status, and the bytes that they bring", async () => {
    const counts = async () => {
      const text = await metricsText(service)
      const count = (line: string) => figureIn(text, `atrium_site_${line}`) ?? 0
      const requests = ["200", "206", "304", "404"].map((status) =>
        count(`requests_total{status="${status}"}`)
      )
      return [...requests, count("bytes_total")]
    }
    const before = await counts()
    const { headers } = await get("/")
    await get("/a%20b.png")
    await get("/a%20b.png", {}, "HEAD")
    await get("/a%20b.png", { range: "bytes=0-9" })
    await get("/", { "if-none-match": String(headers["etag"]) })
    await get("/nowhere")
    const grown = (await counts()).map((count, at) => count - (before[at] ?? 0))
    expect(grown).toEqual([3, 1, 1, 1, 18 + image.length + 10 + 22])
  })

  it("[C-358] has nothing of the service on its host, and the service has nothing of it", async () => {
    const paths = ["/v1/me", "/v1/projects", "/health", "/login", "/openapi.json", "/sdk.tgz"]
    for (const path of paths) {
      const answer = await get(path, { authorization: `Bearer ${service.token}` })
      expect([path, answer.body.toString()]).toEqual([path, "<title>nowhere</title>"])
    }
    for (const name of ["nobody.localhost", "www.localhost", "a.b.localhost"]) {
      const answer = await askHost(service.url, { host: name, path: "/health" })
      expect([answer.status, answer.body.toString()]).toEqual([
        404,
        "There is no site at this address.\n"
      ])
    }
    const upgrade = await askHost(service.url, {
      host,
      path: `/rooms/${project}/r`,
      headers: {
        connection: "upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        "sec-websocket-protocol": "atrium.v1"
      }
    })
    expect(upgrade.status).toBe(404)
    expect((await fetch(`${service.url}/index.html`)).status).toBe(404)
  })

  it("[C-360] has a script that asks the service with the visitor's session in vain", async () => {
    const { secret } = await startSession()
    const cookie = `atrium_session=${secret}`
    const origin = `http://${host}`
    const asks = (path: string, fetched: string, method = "GET") =>
      fetch(`${service.url}${path}`, {
        method,
        headers: { cookie, origin, "sec-fetch-site": fetched }
      })
    for (const path of ["/v1/me", "/v1/projects", `/v1/projects/${project}/site`]) {
      for (const fetched of ["same-site", "cross-site"]) {
        const answer = await asks(path, fetched)
        expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([
          401,
          null
        ])
      }
      expect((await asks(path, "none")).status).toBe(200)
    }
    const written = await asks(`/v1/projects/${project}/site`, "same-site", "DELETE")
    expect(written.status).toBe(403)
    expect((await steps.ask("")).status).toBe(200)
  })

  it("[C-357] stays as it is when a connection is cut in the middle of a file", async () => {
    const next = { ...site, "a b.png": randomBytes(200_000) }
    const begun = await steps.begin(next)
    const [hash] = [begun.body["missing"]].flat()
    const upload = String(begun.body["upload"])
    const { hostname, port } = new URL(service.url)
    const cut = connect(Number(port), hostname)
    cut.write(
      [
        `PUT /v1/projects/${project}/site/uploads/${upload}/files/${String(hash)} HTTP/1.1`,
        `host: ${hostname}:${port}`,
        `authorization: Bearer ${service.token}`,
        "content-type: application/octet-stream",
        "content-length: 200000",
        "",
        ""
      ].join("\r\n")
    )
    cut.write(next["a b.png"].subarray(0, 100_000))
    await until("the half is on its way", () => cut.bytesWritten > 100_000 && !cut.pending)
    cut.destroy()
    expect((await steps.finish(upload)).status).toBe(409)
    expect((await get("/a%20b.png")).body.equals(image)).toBe(true)
    expect((await steps.put(upload, next["a b.png"])).status).toBe(200)
    expect((await steps.finish(upload)).body["changed"]).toBe(1)
    expect((await get("/a%20b.png")).body.equals(next["a b.png"])).toBe(true)
  })

  it("[C-357] is one whole site after two deploys at once", async () => {
    const sites = ["x", "y"].map((each) => ({ "index.html": each, [`${each}.js`]: each }))
    await Promise.all(sites.map((contents) => steps.deploy(contents)))
    const page = (await get("/")).body.toString()
    const other = page === "x" ? "y" : "x"
    expect((await get(`/${page}.js`)).body.toString()).toBe(page)
    expect((await get(`/${other}.js`)).status).toBe(404)
  })

  it("[C-357] refuses what can be no site, and names it", async () => {
    const files = Array.from({ length: 10_001 }, (_, index) => ({
      path: `f${index}`,
      hash: "0".repeat(64),
      bytes: 1
    }))
    const refused = async (body: Record<string, unknown>) => {
      const answer = await steps.ask("/uploads", body)
      return [answer.status, Object(answer.body["error"]).message]
    }
    const one = files.slice(0, 1)
    expect(await refused({ files })).toEqual([400, "files: over 10000 files"])
    expect((await steps.ask("/uploads", { files: files.slice(1) })).status).toBe(201)
    expect(await refused({ files: [{ ...files[0], path: "a/../../b" }] })).toEqual([
      400,
      "files: has a part . or ..: a/../../b"
    ])
    expect(await refused({ files: one, label: "xn--gme-5cd" })).toEqual([
      400,
      "label: must have no -- as its third and fourth character"
    ])
    const queues = { a: { size: 1 } }
    const patched = await call(service.url, `/v1/projects/${project}`, {
      method: "PATCH",
      token: service.token,
      body: { name: "Site story", queues }
    })
    expect(await refused({ files: one, settings: { queues } })).toEqual([
      400,
      Object(patched.body["error"]).message
    ])
    const { token } = await loginSteps(service).invited("Sam")
    const asked = { method: "POST", body: { files: one } }
    const foreign = await call(service.url, `/v1/projects/${project}/site/uploads`, {
      ...asked,
      token
    })
    expect(foreign).toEqual({
      status: 404,
      body: { error: { code: "E_NOT_FOUND", message: "not found" } }
    })
    const theirs = await call(service.url, "/v1/projects", { token, body: { name: "S" } })
    const taken = await call(
      service.url,
      `/v1/projects/${String(theirs.body["id"])}/site/uploads`,
      {
        method: "POST",
        token,
        body: { files: one, label }
      }
    )
    expect([taken.status, Object(taken.body["error"]).code]).toEqual([409, "E_LABEL_TAKEN"])
  })

  it("[C-355] is deleted, and the audit log has all of it", async () => {
    expect(await steps.ask("", undefined, "DELETE")).toEqual({ status: 200, body: { label } })
    expect((await get("/")).status).toBe(404)
    expect((await steps.ask("", undefined, "DELETE")).status).toBe(404)
    const audit = await call(service.url, `/v1/projects/${project}/audit`, { token: service.token })
    const actions = Object.values(audit.body).map((row) => {
      const { action, target } = Object(row)
      return `${action} ${target}`
    })
    expect(actions).toContain(`site.deploy ${label}`)
    expect(actions).toContain(`site.delete ${label}`)
    const record = await call(service.url, `/v1/projects/${project}`, { token: service.token })
    expect(record.body["static"]).toBeNull()
  })
})
