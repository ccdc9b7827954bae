import { createServer, request, type Server } from "node:http"
import type { AddressInfo } from "node:net"

import { sourceOf } from "@atrium/api/testing/BuiltPrograms"
import { type ProbeRoom, roomsOf } from "@atrium/api/testing/RoomsUnderTest"
import { shareShards, startRunner } from "@atrium/api/testing/Runners"
import { makeHome, type RunningService, type ServiceHome } from "@atrium/api/testing/RunningService"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import { consoleUnderTest } from "./browser/ConsoleUnderTest.ts"

const view = consoleUnderTest("The console behind a balancer in Chromium")
const { faults, panel, picture, shows } = view
const hook = new URL("./otherProgram.ts", import.meta.url).href

let home: ServiceHome
let runners: ReadonlyArray<RunningService> = []
let balancer: Server
let page: Page
/** The service as a browser sees it: where the balancer listens. */
let service: Pick<RunningService, "url" | "token" | "project">

/** Sends one request after the other to the next of the runners. */
const balance = async (urls: ReadonlyArray<string>): Promise<Server> => {
  let turn = 0
  const server = createServer((asked, answer) => {
    const { method, url = "/", headers } = asked
    const passed = request(`${urls[turn++ % urls.length]}${url}`, { method, headers }, (said) => {
      answer.writeHead(said.statusCode ?? 502, said.headers)
      said.pipe(answer)
    })
    passed.on("error", () => answer.destroy())
    // A reader of a live list has gone.
    answer.on("close", () => passed.destroy())
    asked.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return server
}

describe.skipIf(!view.isThere)("the console of two runners, one of a newer version", () => {
  beforeAll(async () => {
    page = view.page
    home = await makeHome()
    const older = await startRunner(home)
    const by = ["--import", `${hook}?versions=1&named=99.0.0`]
    const newer = await startRunner(home, { program: sourceOf("service"), by })
    runners = [older, newer]
    await shareShards(runners)
    balancer = await balance(runners.map(({ url }) => url))
    // A listening server has a port.
    const { port } = balancer.address() as AddressInfo
    service = { ...older, url: `http://127.0.0.1:${port}` }
  })

  afterAll(async () => {
    balancer.closeAllConnections()
    balancer.close()
    await home.remove()
  })

  it("[C-766] says that there are two versions, keeps what is typed, and does not load itself anew", async () => {
    await view.logIn(service, `/console/p/${service.project}/settings`)
    let loads = 0
    page.on("load", () => loads++)
    const role = page.getByLabel("Audience role")
    await role.fill("watcher")
    await page
      .getByText(/^The service has another version than this page \(\S+, this page is/)
      .waitFor()
    // Every page shows what both versions know.
    for (const name of ["Rooms", "Deployments", "Boards", "Settings"]) {
      await page.getByRole("link", { name, exact: true }).click()
      await page.locator("main .panel, main .empty").first().waitFor()
      await shows(/^The service has another version than this page/)
    }
    await role.fill("watcher")
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await shows(/^The service has another version than this page/)
    expect([await role.inputValue(), loads]).toEqual(["watcher", 0])
    await picture("two-versions")
  })

  it("[C-802] [C-773] moves a room whose player stays, and drains a runner when its id is typed", async () => {
    const rooms = roomsOf({ ...runners[0], ...service, url: runners[0]?.url ?? "" })
    const player: ProbeRoom = await rooms.join("moving")
    const drops: Array<number> = []
    player.onDrop((code) => drops.push(code))
    await player.request("add", { by: 7 })
    await page.goto(`${service.url}/console/fleet`)
    const rows = panel("Runners").getByRole("row")
    await rows.filter({ hasText: "version 99.0.0" }).waitFor()
    const move = panel("Move a room")
    const ids = await move.getByLabel("To which runner").locator("option").allTextContents()
    expect(ids).toHaveLength(3)
    const holder = rows.filter({ has: page.getByRole("cell", { name: "1", exact: true }) })
    const from = await holder.first().locator("code").textContent()
    const to = ids.slice(1).find((id) => id !== from) ?? ""
    await move.getByLabel("Id of the project").fill(service.project)
    await move.getByLabel("Id of the room").fill("moving")
    await move.getByLabel("To which runner").selectOption(to)
    await move.getByRole("button", { name: "Move" }).click()
    await shows(/is on .+ now; its clients have stayed connected/, move)
    expect(await player.request("add", { by: 1 })).toEqual({ value: 8 })
    expect(drops).toEqual([])
    await picture("moved")
    await page.goto(`${service.url}/console/p/${service.project}/rooms/moving`)
    await shows(/^Moved/, panel("Life"))
    await picture("room-moved")

    await page.goto(`${service.url}/console/fleet`)
    const drained = rows.filter({ hasText: to })
    await drained.getByRole("button", { name: "Drain" }).click()
    const dialog = page.getByRole("dialog", { name: "Drain this runner?" })
    const drain = dialog.getByRole("button", { name: "Drain" })
    expect(await drain.isDisabled()).toBe(true)
    await dialog.getByRole("textbox").fill(to)
    await drain.click()
    await shows("drained", drained)
    expect(await player.request("add", { by: 1 })).toEqual({ value: 9 })
    expect(drops).toEqual([])
    // The page of the settings asked for the site, which the project does not have.
    expect(faults.filter((fault) => !fault.includes("status of 404"))).toEqual([])
    await player.leave()
  })
})
