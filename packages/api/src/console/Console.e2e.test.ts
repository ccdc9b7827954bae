import { gzipSync } from "node:zlib"

import { ConsoleLimits } from "@atrium/domain/console/ConsoleLimits"
import { expect, it } from "vitest"

import packageJson from "../../package.json" with { type: "json" }
import { sharedService } from "../testing/ServiceUnderTest.ts"
import { consolePolicy } from "./ConsolePages.ts"

const service = sharedService()
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(service.url + path, { headers, redirect: "manual" })

const filesOf = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/"(\/console\/files\/[^"]+)"/g)].map(([, path = ""]) => path)

it("[C-760] every path below /console is one page, which runs its own files and nothing else", async () => {
  const page = await get("/console")
  const html = await page.text()
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
  const files = `${service.url}/console/files/`
  expect((page.headers.get("content-security-policy") ?? "").split("; ")).toEqual([
    "default-src 'none'",
    `script-src ${files}`,
    `style-src ${files}`,
    "img-src data:",
    "connect-src 'self'",
    "trusted-types atrium-worker",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'"
  ])
  expect(page.headers.get("cache-control")).toBe("no-cache")
  // No script, style or handler stands in it.
  expect(html).not.toMatch(/<style|<script(?! type="module" src=)|\son\w+=|style=/)
  const secret = service.token.slice(3)
  for (const path of ["/console/p/dev/rooms/arena", "/console/%3Cscript%3E", "/console/"]) {
    const other = await get(path)
    expect([other.status, await other.text()]).toEqual([200, html])
  }
  expect(html).not.toContain(secret)
  expect((await fetch(`${service.url}/console/p`, { method: "POST" })).status).toBe(405)
  expect((await get("/consoles")).status).toBe(404)
})

it("[C-766] each answer to a page of the console names the service's version, and no other answer does", async () => {
  for (const path of ["/v1/me", "/console", "/v1/nothing"]) {
    const toPage = await get(path, { "x-atrium-page": "console" })
    expect(toPage.headers.get("x-atrium-version")).toBe(packageJson.version)
    expect((await get(path)).headers.has("x-atrium-version")).toBe(false)
  }
})

it("[C-760] a caller that names no host gets the files of its own origin alone", () => {
  const policy = consolePolicy(null)["content-security-policy"] ?? ""
  expect(policy).toContain("script-src 'self';")
  expect(policy).toContain("connect-src 'self';")
})

it("[C-760] the service names each file by its content, packs it, and lets browsers cache it for ever; any other name is 404", async () => {
  const html = await (await get("/console")).text()
  const files = filesOf(html)
  expect(files.length).toBeGreaterThan(2)
  for (const path of files) {
    const plain = await get(path, { "accept-encoding": "identity" })
    const packed = await get(path, { "accept-encoding": "gzip" })
    expect(packed.headers.get("content-encoding")).toBe("gzip")
    expect(await packed.text()).toBe(await plain.text())
    expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    expect(plain.headers.get("x-content-type-options")).toBe("nosniff")
    expect(plain.headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; require-trusted-types-for 'script'"
    )
    const etag = packed.headers.get("etag") ?? ""
    const known = await get(path, { "accept-encoding": "gzip", "if-none-match": etag })
    expect(known.status).toBe(304)
  }
  for (const name of ["main.js", "..%2fmain.js", "", "%"]) {
    expect((await get(`/console/files/${name}`)).status).toBe(404)
  }
})

it("[limits.console.first-bytes] [C-760] the first load is at most 80 KiB, packed by gzip", async () => {
  const html = await (await get("/console")).text()
  const first = filesOf(html)
  let bytes = gzipSync(html).length
  for (const path of first) {
    const answer = await get(path, { "accept-encoding": "identity" })
    bytes += gzipSync(Buffer.from(await answer.arrayBuffer()), { level: 9 }).length
  }
  expect(bytes).toBeGreaterThan(5000)
  expect(bytes).toBeLessThanOrEqual(ConsoleLimits.consoleFirstBytes.max)
})
