import {
  call,
  makeHome,
  type RunningService,
  type ServiceHome
} from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import { chromiumPath } from "./browser/Chromium.ts"
import { answerOf, DelayMs, openPlayer, type Player } from "./marbles/MarblesPage.ts"

const executablePath = chromiumPath("The example marbles in Chromium")

let home: ServiceHome
let service: RunningService

beforeAll(async () => {
  home = await makeHome("prepared")
  service = await home.start()
})

afterAll(async () => {
  expect(await service.stop()).toBe(0)
  await home.remove()
})

it("[C-870] the first request for marbles deploys it beside the other examples, and its page alone may compile WebAssembly", async () => {
  const { url, token } = service
  const projects = await call(url, "/v1/projects", { token })
  const demo = Object.values(projects.body).find((project) => Object(project).name === "demo")
  const versionNow = async () =>
    Object((await call(url, `/v1/projects/${Object(demo).id}`, { token })).body).currentVersion
  expect(await versionNow()).toBe(1)
  // Two at once make it once.
  const [page] = await Promise.all([fetch(`${url}/play/marbles`), fetch(`${url}/play/marbles`)])
  const html = await page.text()
  expect(page.status).toBe(200)
  expect(await versionNow()).toBe(2)

  const [, path = ""] = /<script type="module" src="([^"]+)"/.exec(html) ?? []
  const policyOf = async (name: string) =>
    (await fetch(`${url}/play/${name}`)).headers.get("content-security-policy")?.split("; ")
  expect(await policyOf("marbles")).toContain(`script-src ${url}${path} 'wasm-unsafe-eval'`)
  expect((await policyOf("arena"))?.join()).not.toContain("wasm")
  const script = await fetch(url + path)
  expect([script.status, script.headers.get("content-encoding")]).toEqual([200, "gzip"])
  expect(script.headers.get("cache-control")).toContain("immutable")
  expect((await script.text()).length).toBeGreaterThan(1_000_000)
  const etag = script.headers.get("etag") ?? ""
  expect((await fetch(url + path, { headers: { "if-none-match": etag } })).status).toBe(304)
  expect((await fetch(`${url}/play/files/marbles-0000000000000000.js`)).status).toBe(404)
})

describe.skipIf(executablePath === null)("two browsers at marbles", () => {
  let browser: Browser
  let ann: Player
  let bob: Player

  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: executablePath ?? "",
      args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    })
    const url = `${service.url}/play/marbles`
    ann = await openPlayer(browser, url, { delayMs: DelayMs })
    bob = await openPlayer(browser, url, { delayMs: 0 })
    for (const { page } of [ann, bob]) await lieStill(page)
  })

  afterAll(() => browser?.close())

  /** Until both have a marble, which has come down to its place, and the page knows how far away the room is. */
  const lieStill = (page: Page) =>
    until("two marbles at rest", () =>
      page.evaluate(() => {
        const { room } = window.marbles
        const all = [...room.state.marbles]
        const still = all.every(({ y, vx, vy, vz }) => y < 0.95 && Math.hypot(vx, vy, vz) < 0.0005)
        return all.length === 2 && all.every(({ client }) => client !== "") && still
      })
    )

  it("[example.marbles] the own marble rolls before the room has answered, and the room has it there in the end", async () => {
    await until("the way to the room is measured", () =>
      ann.page.evaluate(() => window.marbles.prediction.stats.aheadTicks >= 12)
    )
    const { before, moved, answered } = await answerOf(ann.page, "KeyA")
    // The page has drawn the marble elsewhere while the room's state was the one of before.
    expect(moved.told).toBeCloseTo(before.told, 3)
    expect(Math.abs(moved.drawn - before.drawn)).toBeGreaterThan(0.005)
    expect(answered.ms).toBeGreaterThanOrEqual(2 * DelayMs)
    expect(moved.ms).toBeLessThan(answered.ms - DelayMs)
    expect(Math.abs(answered.drawn - before.drawn)).toBeGreaterThan(0.2)
    await ann.page.keyboard.up("a")
    await until("both have it at one place", () =>
      ann.page.evaluate(() => {
        const { room, prediction } = window.marbles
        const own = [...room.state.marbles].find(({ client }) => client === room.sessionId)
        const drawn = own && prediction.pose("marbles", own)?.position
        return drawn && Math.hypot(own.vx, own.vz) < 0.3 && Math.abs(drawn.x - own.x) < 0.05
      })
    )
  })

  it("[example.marbles] a shot at a marble that rolls hits what the shooter saw, and scores", async () => {
    await bob.page.keyboard.down("d")
    await until("a point of ann's in bob's page", async () => {
      await ann.page.keyboard.press("Space")
      return bob.page.evaluate(() => {
        const { room } = window.marbles
        return [...room.state.marbles].some(
          ({ client, score }) => client !== room.sessionId && score > 0
        )
      })
    })
    await bob.page.keyboard.up("d")
    const own = ann.page.locator("#scores .own output")
    await until("the point in ann's own page", async () => Number(await own.textContent()) > 0)
    expect([ann.errors, bob.errors]).toEqual([[], []])
  })
})
