import { messageOf, roomsOf } from "@atrium/api/testing/RoomsUnderTest"
import { bundleOfRooms, uploadBundle } from "@atrium/api/testing/RunningService"
import { sharedService } from "@atrium/api/testing/ServiceUnderTest"
import { writeDeploy } from "@atrium/domain/deployments/DeployBody"
import { until } from "@atrium/domain/testing/Until"
import type { Page, Request } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"

import { consoleUnderTest } from "./browser/ConsoleUnderTest.ts"

const service = sharedService()
const view = consoleUnderTest("The shell of the console in Chromium")
const { faults, picture } = view
let page: Page

/** Tab is pressed until this has the focus. */
const tabTo = async (selector: string): Promise<void> => {
  await page.locator(selector).first().waitFor()
  await until(`the focus is on ${selector}`, async () => {
    await page.keyboard.press("Tab")
    return Boolean(
      await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)
    )
  })
}
const shows = (text: string) => page.getByText(text, { exact: true }).first().waitFor()

describe.skipIf(!view.isThere)("the console in Chromium", () => {
  beforeAll(() => {
    page = view.page
  })

  it("[C-760] asks for a login, and then goes to the page that was asked for", async () => {
    await page.goto(`${service.url}/console/p/${service.project}`)
    await page.waitForURL(/\/login\?next=/)
    // The page of the console and the login have asked who is there.
    expect(faults.splice(0).filter((fault) => !fault.includes("401"))).toEqual([])
    await page.locator("input").first().fill(service.token)
    await page.keyboard.press("Enter")
    await page.waitForURL(/\/console\/p\//)
    await shows("No room yet.")
    await picture("rooms-empty")
  })

  it("[C-769] [C-767] shows rooms as they change, finds them, and tells the command", async () => {
    const rooms = roomsOf(service)
    const names = ["arena-1", "arena-2", "lobby"]
    const players = await Promise.all(names.map((name) => rooms.join(name)))
    await shows("3 rooms")
    await picture("rooms")
    await page.getByRole("searchbox").fill("LOB")
    await shows("1 of 3 rooms")
    await page.getByRole("searchbox").fill("nowhere")
    await page.getByRole("button", { name: "Show all rooms" }).click()
    await shows("3 rooms")
    await page.getByRole("button", { name: "API" }).click()
    await page.getByText(`atrium rooms --project ${service.project}`).waitFor()
    await picture("rooms-command")
    expect(await page.locator("tbody time").first().getAttribute("title")).toMatch(
      /\d local, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/
    )
    await page.getByLabel("Awake or not").selectOption("false")
    await shows("No room fits these filters.")
    expect(new URL(page.url()).search).toBe("?active=false")
    await players[2]?.leave()
    await shows("lobby")
    await page.getByLabel("Awake or not").selectOption("")
    for (const player of players) await player.leave()
  })

  it("[C-813] a reader without a mouse comes to a room, sees where the focus is, and opens what a panel asks", async () => {
    await page.goto(`${service.url}/console/p/${service.project}/rooms`)
    await shows("3 rooms")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    expect(await page.evaluate("document.activeElement.id")).toBe("main")
    await tabTo('main tbody a[href$="/rooms/arena-2"]')
    const ring = "getComputedStyle(document.activeElement).outlineStyle"
    expect(await page.evaluate(ring)).not.toBe("none")
    await page.keyboard.press("Enter")
    await page.waitForURL(/rooms\/arena-2$/)
    await page.getByRole("region", { name: "Life" }).waitFor()
    await tabTo("main .panel header button")
    await page.keyboard.press("Enter")
    await page.getByText(`atrium rooms get --project ${service.project}`).waitFor()
  })

  it("[C-800] sets a ceiling, and shows the wall", async () => {
    await page.goto(`${service.url}/console/p/${service.project}/usage`)
    const cap = page.getByRole("region", { name: "Room hours" })
    await cap.getByText(/^No wall: past the allowance/).waitFor()
    await cap.getByRole("button", { name: "Set a ceiling" }).click()
    const ceiling = cap.getByLabel("Ceiling of Room hours in hours")
    await ceiling.fill("1.5")
    await page.keyboard.press("Enter")
    await cap.getByText(/must be a whole number of 0 or more, or null/).waitFor()
    await ceiling.fill("0")
    await page.getByRole("region", { name: "Caps" }).getByRole("button", { name: "API" }).click()
    await page.getByText(`atrium caps set --project ${service.project}`).waitFor()
    await ceiling.press("Enter")
    await cap.getByText("The wall is reached.").waitFor()
    await picture("usage")
    await cap.getByRole("button", { name: "Change the ceiling" }).click()
    await cap.getByRole("button", { name: "Clear" }).click()
    await cap.getByText(/^No wall: past the allowance/).waitFor()
    await shows("No alert.")
  })

  it("[C-806] [D-60] tries a room with two players, one of whom has a slow line, a stalled one, and none", async () => {
    await page.goto(`${service.url}/console/p/${service.project}/playground`)
    await page.getByLabel("Room type").selectOption("probe")
    await page.getByRole("button", { name: "New room" }).click()
    const [one, two] = [1, 2].map((number) =>
      page.getByRole("region", { name: `Player ${number}` })
    )
    await one?.getByText("connected", { exact: true }).waitFor()
    await page.getByRole("button", { name: "Add a player" }).click()
    await two?.getByText("connected", { exact: true }).waitFor()
    const add = one?.locator("form", { has: page.getByText("add", { exact: true }) })
    await add?.getByLabel("by").fill("7")
    await add?.getByRole("button", { name: "Call" }).click()
    await one?.getByText(/add answers {"value":7} after/).waitFor()
    await two
      ?.getByText(/^patch, /)
      .first()
      .waitFor()
    await add?.getByLabel("by").fill("many")
    await add?.getByRole("button", { name: "Call" }).click()
    await one?.locator(".line.error").getByText(/by: /).waitFor()
    // A line of half a second each way, and one on which nothing comes through.
    await add?.getByLabel("by").fill("1")
    await one?.getByLabel("Added latency, one way").selectOption("500")
    await add?.getByRole("button", { name: "Call" }).click()
    await one?.getByText(/add answers {"value":8} after [1-9]\d{3,} ms/).waitFor()
    await one?.getByLabel("Added latency, one way").selectOption("0")
    await one?.getByRole("button", { name: "Stall" }).click()
    await add?.getByRole("button", { name: "Call" }).click()
    await two?.locator("form", { hasText: "add" }).first().getByLabel("by").fill("2")
    await two?.locator("form", { hasText: "add" }).first().getByRole("button").click()
    await two?.getByText(/add answers {"value":10} after/).waitFor()
    expect(await one?.getByText(/add answers {"value":(9|1\d)}/).count()).toBe(0)
    await one?.getByRole("button", { name: "Stall" }).click()
    await one?.getByText(/add answers {"value":11} after/).waitFor()
    const playerId = await one?.locator(".player-id").textContent()
    expect(playerId).toMatch(/^pl_test_[0-9a-f]{16}$/)
    await one?.getByRole("button", { name: "Drop the connection" }).click()
    await one?.getByText(/the connection is lost \(1006\)/).waitFor()
    await one?.getByText("connected", { exact: true }).waitFor()
    expect(await one?.locator(".player-id").textContent()).toBe(playerId)
    expect(new URL(page.url()).searchParams.get("room")).toMatch(/^playground-[0-9a-f]{8}$/)
    await picture("playground")
    const add4 = page.getByRole("button", { name: "Add a player" })
    for (let players = 2; players < 4; players++) await add4.click()
    expect(await add4.isDisabled()).toBe(true)
    await page.getByRole("button", { name: "Let it sleep" }).click()
    await shows("hibernated")
    await page.getByRole("button", { name: "Wake it with a player" }).click()
    await shows("awake")
  })

  it("[C-802] [C-804] shows a minted key once, and the words of the service for a bad setting", async () => {
    await page.goto(`${service.url}/console/p/${service.project}/keys`)
    await page.getByLabel("Label of the key").fill("deploys")
    await page.getByRole("button", { name: "Mint a key" }).click()
    await page.getByText(/^rk_[A-Za-z0-9_-]{43}$/).waitFor()
    await picture("keys")
    await page.getByRole("button", { name: "Revoke" }).click()
    const dialog = page.getByRole("dialog", { name: "Revoke this key?" })
    const revoke = dialog.getByRole("button", { name: "Revoke" })
    expect(await revoke.isDisabled()).toBe(true)
    await dialog.getByRole("textbox").fill((await dialog.locator("label bdi").textContent()) ?? "")
    await revoke.click()
    await page.getByText(/revoked/).waitFor()
    await page.goto(`${service.url}/console/p/${service.project}/settings`)
    expect(await page.content()).not.toContain("rk_")
    await page.getByLabel("Queues").fill('{"duo":{"size":1}}')
    await page.getByRole("button", { name: "Save" }).click()
    // A deploy whose file declares the same is refused in the same words.
    const { body, settingsBytes } = writeDeploy({
      settings: { queues: { duo: { size: 1 } } },
      bundle: await bundleOfRooms(["rooms/probe.ts"])
    })
    const said = await uploadBundle(service, body, `?settingsBytes=${settingsBytes}`)
    const message = messageOf(said)
    expect(await page.getByRole("alert").locator("bdi").textContent()).toBe(message)
    await picture("settings")
  })

  it("[C-801] [C-803] the other pages say what is there, and what to do where nothing is", async () => {
    for (const [address, text] of [
      [`p/${service.project}/logs`, "No lines."],
      [`p/${service.project}/queues`, "2 players"],
      [`p/${service.project}/boards`, "No board yet."],
      [`p/${service.project}/replays`, "No replay yet."],
      [`p/${service.project}/players?player=ann`, "In no room now."],
      ["account", "this one"],
      ["fleet", "open"]
    ]) {
      await page.goto(`${service.url}/console/${address}`)
      await shows(text ?? "")
    }
    await picture("fleet")
  })

  it("[C-761] makes a project, and says why one is refused", async () => {
    await page.getByRole("link", { name: "Projects" }).click()
    // A reader of the screen hears the new page.
    const named = "document.title === 'Projects · Atrium' && document.activeElement.id === 'main'"
    await page.waitForFunction(named)
    await page.getByRole("button", { name: "New project" }).click()
    await page.getByLabel("Name of the project").fill("x".repeat(500))
    await page.getByRole("button", { name: "Make" }).click()
    await page.getByRole("alert").waitFor()
    await page.getByRole("button", { name: "Explain" }).click()
    await shows("What to do")
    await picture("projects-refused")
    await page.getByLabel("Name of the project").fill("<script>alert(1)</script>")
    await page.getByRole("button", { name: "Make" }).click()
    await shows("No room yet.")
    await page.goto(`${service.url}/console`)
    await shows("<script>alert(1)</script>")
    await picture("projects")
    // The page of the settings asks for the site, which the project does not have.
    expect(faults.filter((fault) => fault.includes("status of 404"))).toHaveLength(1)
    expect(faults.splice(0).filter((fault) => !/status of 40[014]/.test(fault))).toEqual([])
  })

  it("[C-766] beside a service of another version it says so, and keeps what is typed", async () => {
    await page.goto(`${service.url}/console/p/${service.project}/settings`)
    const role = page.getByLabel("Audience role")
    await role.fill("watcher")
    await page.route("**/v1/**", async (route) => {
      const response = await route.fetch()
      const headers = { ...response.headers(), "x-atrium-version": "99.0.0" }
      await route.fulfill({ response, headers })
    })
    // The page asks again when a reader comes back to it.
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await page.getByText(/^The service has another version than this page \(99\.0\.0, /).waitFor()
    expect(await role.inputValue()).toBe("watcher")
    await page.unrouteAll({ behavior: "wait" })
    faults.length = 0
  })

  it("[C-766] a page whose scripts are those of another build loads itself anew once, and then says so", async () => {
    const known = new Set<string>()
    const note = (request: Request): void => {
      if (request.resourceType() === "script") known.add(request.url())
    }
    page.on("request", note)
    await page.goto(`${service.url}/console/p/${service.project}/keys`)
    await page.getByLabel("Label of the key").waitFor()
    page.off("request", note)
    let loads = 0
    page.on("load", () => loads++)
    await page.route(/\.js$/, (route) =>
      known.has(route.request().url()) ? route.continue() : route.abort()
    )
    const html = '<meta name="atrium-build" content="0123456789abcdef" />'
    await page.route(`${service.url}/console`, (route) =>
      route.fulfill({ body: html, contentType: "text/html" })
    )
    await page.getByRole("link", { name: "Boards" }).click()
    await page.getByText(/^The service has another version than this page\./).waitFor()
    await until("the page has been loaded anew", () => loads === 1)
    await page.getByRole("button", { name: "Try again" }).waitFor()
    await page.getByText(/^The service has another version than this page\./).waitFor()
    expect(loads).toBe(1)
    await page.unrouteAll({ behavior: "wait" })
    const expected = /ERR_FAILED|dynamically imported module/
    expect(faults.splice(0).filter((fault) => !expected.test(fault))).toEqual([])
  })

  it("[C-766] a page that is not there says so, and narrow screens keep the page in sight", async () => {
    await page.goto(`${service.url}/console/p/${service.project}/nothing`)
    await shows("There is no such page.")
    await page.setViewportSize({ width: 360, height: 720 })
    await page.emulateMedia({ colorScheme: "dark" })
    await page.goto(`${service.url}/console/p/${service.project}/rooms`)
    // One of them is the room of the playground.
    await shows("4 rooms")
    const wide = await page.evaluate("document.documentElement.scrollWidth")
    expect(wide).toBeLessThanOrEqual(360)
    await picture("rooms-narrow-dark")
    await page.getByRole("button", { name: "Menu" }).click()
    await picture("menu-narrow-dark")
    await page.getByRole("button", { name: "Log out" }).click()
    await page.waitForURL(/\/login/)
    expect(faults.filter((fault) => !fault.includes("401"))).toEqual([])
  })
})
