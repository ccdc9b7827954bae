import { createHash } from "node:crypto"

import { expect, it } from "vitest"

import { call } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()
const hashOf = (text: string): string =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`
const between = (html: string, tag: string): ReadonlyArray<string> =>
  [...html.matchAll(new RegExp(`<${tag}[^>]*>([^]*?)</${tag}>`, "g"))].map(([, text = ""]) => text)

it("[C-392] / tells a stranger what runs, without a login and without a secret", async () => {
  const response = await fetch(`${service.url}/`)
  const html = await response.text()
  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "text/html; charset=utf-8"
  ])
  expect(html).toContain(`<code>${service.url}</code>`)
  expect(html).toContain(
    `npx --yes --package ${service.url}/cli.tgz -- atrium init my-game --url ${service.url}<`
  )
  expect(html).not.toMatch(/\{\{|<!--/)
  for (const secret of [service.token, service.project, service.dataDir, service.databaseUrl]) {
    expect(html).not.toContain(secret)
  }
  // Everything that it links to is there.
  const links = [...html.matchAll(/href="(\/[^"]*)"/g)].map(([, path = ""]) => path)
  expect(links).toEqual(expect.arrayContaining(["/console", "/docs", "/openapi.json", "/metrics"]))
  for (const path of links) expect((await fetch(service.url + path)).status).toBe(200)
})

it("[C-392] it runs and shows what is in it, loads nothing, and asks nobody", async () => {
  const response = await fetch(`${service.url}/`)
  const html = await response.text()
  const [scripts, styles] = [between(html, "script"), between(html, "style")]
  expect([scripts.length, styles.length]).toEqual([1, 1])
  expect((response.headers.get("content-security-policy") ?? "").split("; ")).toEqual([
    "default-src 'none'",
    `script-src ${scripts.map(hashOf).join(" ")}`,
    `style-src ${styles.map(hashOf).join(" ")}`,
    "img-src data:",
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'"
  ])
  expect(html).not.toMatch(/\s(?:style|on\w+)=|src=|url\(/)
  expect(html.match(/https?:\/\/[^/"'<\s]+/g)?.filter((url) => url !== service.url)).toEqual([
    "http://www.w3.org"
  ])
})

it("[C-392] it names the host that was asked, as text", async () => {
  const { host, port } = new URL(service.url)
  const asked = await fetch(`http://localhost:${port}/`)
  expect(await asked.text()).toContain(`<code>ws://localhost:${port}/v1/rooms/`)
  expect(host).toContain("127.0.0.1")
})

it("[C-393] a service for more than a newcomer has no games for strangers", async () => {
  expect(await (await fetch(`${service.url}/`)).text()).not.toContain("/play/")
  for (const name of ["arena", "tic-tac-toe", "whiteboard", ""]) {
    expect(await call(service.url, `/play/${name}`)).toMatchObject({
      status: 404,
      body: { error: { code: "E_NOT_FOUND" } }
    })
  }
})
