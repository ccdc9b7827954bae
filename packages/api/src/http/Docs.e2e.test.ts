import { createHash } from "node:crypto"

import { expect, it } from "vitest"

import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()

it("[C-32] /openapi.json is the contract that the service keeps", async () => {
  const response = await fetch(`${service.url}/openapi.json`)
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toMatch(/^application\/json/)
  const document = await response.json()
  expect([document.openapi, document.info.title]).toEqual(["3.1.0", "Atrium"])
  expect(Object.keys(document.paths)).toContain("/v1/projects/{id}/caps")
})

it("[C-32] /docs is one page that loads nothing and runs only its own script", async () => {
  const response = await fetch(`${service.url}/docs`)
  const html = await response.text()
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8")
  expect(html).toContain("/v1/projects/{id}/caps")

  // The browser is told to load nothing at all, and to run these very bytes.
  const [, script = ""] = /<script>([^]*)<\/script>/.exec(html) ?? []
  expect(script.length).toBeGreaterThan(100_000)
  const hash = createHash("sha256").update(script).digest("base64")
  const policy = (response.headers.get("content-security-policy") ?? "").split("; ")
  expect(policy).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      `script-src 'sha256-${hash}'`,
      "style-src 'unsafe-inline'",
      "img-src data:",
      "connect-src 'self'",
      "frame-ancestors 'none'"
    ])
  )
  // The page around the script loads nothing either.
  const around = html.replace(script, "")
  expect(around).not.toMatch(/\s(?:src|href)\s*=/)
  expect(around).not.toMatch(/@import|url\((?!["']?data:)/)

  // The page is made once: another request, also in another way, gets the same.
  expect(await (await fetch(`${service.url}/docs`)).text()).toBe(html)
  const head = await fetch(`${service.url}/docs`, { method: "HEAD" })
  expect([head.status, head.headers.get("content-length")]).toEqual([
    200,
    String(Buffer.byteLength(html))
  ])
  expect((await fetch(`${service.url}/docs`, { method: "POST" })).status).toBe(405)
})
