import { join } from "node:path"

import { call, deploy } from "@atrium/api/testing/RunningService"
import { sharedService } from "@atrium/api/testing/ServiceUnderTest"
import { until } from "@atrium/domain/testing/Until"
import { Client, type ClientRoom } from "@atrium/sdk/client"
import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import { chromiumPath, type ServedPage, servePage } from "./browser/Chromium.ts"
import { yard } from "./react/yardSchema.ts"

const executablePath = chromiumPath("React in Chromium")
const service = sharedService()

describe.skipIf(executablePath === null)("a page of React in a browser", () => {
  let served: ServedPage
  let browser: Browser
  let page: Page
  let bob: ClientRoom<typeof yard>

  beforeAll(async () => {
    const { url, token } = service
    const made = await call(url, "/v1/projects", { token, body: { name: "yard" } })
    const project = String(made.body["id"])
    const folder = join(import.meta.dirname, "react")
    const { status } = await deploy({ url, token, project }, ["yard.ts"], folder)
    if (status !== 201) throw new Error(`the room is not deployed: ${status}`)
    served = await servePage(join(folder, "yardPage.ts"))
    browser = await chromium.launch({
      executablePath: executablePath ?? "",
      args: ["--no-sandbox"]
    })
    page = await browser.newPage()
    await page.goto(served.url)
    await page.waitForFunction(() => "start" in window)
    await page.evaluate(
      (to) => {
        window.yardPage = window.start(to.url, to.project)
      },
      { url, project }
    )
    bob = await new Client(url, { project }).joinOrCreate(yard, { roomId: "yard" })
    for (const name of ["ann", "bob", "cleo"]) bob.send("add", { name })
  })

  afterAll(async () => {
    await bob?.leave()
    await browser?.close()
    await served?.end()
  })

  const shows = (id: string, text: string | null): Promise<true> =>
    until(
      `${id} is ${text}`,
      async () => (await page.evaluate((of) => window.yardPage.textOf(of), id)) === text
    )
  const renders = () => page.evaluate(() => window.yardPage.renders())

  it("[C-965] renders the components whose records and fields have changed, once for each patch", async () => {
    await shows("joined", "ann9bob9cleo9ann,bob,cleo0")
    await renders()

    bob.send("hit", { player: 1, hp: 5 })
    await shows("hp1", "5")
    await shows("weakest", "ann,bob,cleo")
    expect(await renders()).toEqual({ "hp 1": 1, weakest: 1 })

    bob.send("buy", { player: 2, thing: "rope" })
    await shows("bag2", "1 rope")
    bob.send("buy", { player: 2, thing: "rope" })
    await shows("bag2", "2 rope")
    expect(await renders()).toEqual({ "bag 2": 2 })

    bob.send("turn", { leaves: 3, comes: "dora" })
    await shows("joined", "ann5bob92 ropedora9ann,bob,dora1")
    expect(await renders()).toEqual({
      red: 1,
      players: 1,
      weakest: 1,
      "player 4": 1,
      "hp 4": 1,
      "bag 4": 1
    })
  })

  it("[C-966] leaves the room when its component goes", async () => {
    expect(bob.state.here.clients).toBe(2)
    await page.evaluate(() => window.yardPage.unmount())
    await until("the player has left", () => bob.state.here.clients === 1)
    await shows("joined", null)
  })
})
