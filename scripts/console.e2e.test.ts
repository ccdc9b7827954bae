import { roomsOf } from "@atrium/api/testing/RoomsUnderTest"
import { sharedService } from "@atrium/api/testing/ServiceUnderTest"
import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import { chromiumPath } from "./Chromium.ts"

const service = sharedService()
const executablePath = chromiumPath("The console in Chromium")
/** A folder that pictures of the pages go to; absent = none are made. */
const pictures = process.env["CONSOLE_PICTURES"]

let browser: Browser
let page: Page
const faults: Array<string> = []

const picture = async (name: string): Promise<void> => {
  if (pictures !== undefined) await page.screenshot({ path: `${pictures}/${name}.png` })
}
const shows = (text: string) => page.getByText(text, { exact: true }).first().waitFor()

describe.skipIf(executablePath === null)("the console in Chromium", () => {
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: executablePath ?? "",
      args: ["--no-sandbox"]
    })
    page = await (await browser.newContext()).newPage()
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(message.text())
    })
    page.on("pageerror", (error) => faults.push(String(error)))
  })

  afterAll(async () => {
    await browser.close()
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
    await page.getByLabel("Awake or not").selectOption("false")
    await shows("No room fits these filters.")
    expect(new URL(page.url()).search).toBe("?active=false")
    await players[2]?.leave()
    await shows("lobby")
    await page.getByLabel("Awake or not").selectOption("")
    for (const player of players) await player.leave()
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
    expect(faults.splice(0).filter((fault) => !/40[01]/.test(fault))).toEqual([])
  })

  it("[C-766] a page that is not there says so, and narrow screens keep the page in sight", async () => {
    await page.goto(`${service.url}/console/p/${service.project}/nothing`)
    await shows("There is no such page.")
    await page.setViewportSize({ width: 360, height: 720 })
    await page.emulateMedia({ colorScheme: "dark" })
    await page.goto(`${service.url}/console/p/${service.project}/rooms`)
    await shows("3 rooms")
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
