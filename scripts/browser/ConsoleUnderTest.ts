import type { RunningService } from "@atrium/api/testing/RunningService"
import { type Browser, chromium, type Locator, type Page } from "playwright-core"
import { afterAll, beforeAll } from "vitest"

import { chromiumPath } from "./Chromium.ts"

/** A folder that pictures of the pages go to; absent = none are made. */
const pictures = process.env["CONSOLE_PICTURES"]

/** The console in a Chromium, and what goes wrong in it. */
export interface ConsoleUnderTest {
  /** This machine has a Chromium. */
  readonly isThere: boolean
  readonly page: Page
  /** What ran that never may: dialogs, and `graffiti()` of a hostile text. */
  readonly ran: Array<string>
  /** What the browser complains of: its policy, too. */
  readonly faults: Array<string>
  panel(title: string | RegExp): Locator
  /** Waits until a text is in sight. */
  shows(text: string | RegExp, place?: Page | Locator): Promise<void>
  picture(name: string): Promise<void>
  /** Logs in with the service's own token, and goes on. @param next the path of a page of the console */
  logIn(service: Pick<RunningService, "url" | "token">, next: string): Promise<void>
}

/** A browser for the tests of this file, in which nobody is logged in. @param what is skipped without one */
export const consoleUnderTest = (what: string): ConsoleUnderTest => {
  const executablePath = chromiumPath(what)
  let browser: Browser | null = null
  let opened: Page | null = null
  const [ran, faults]: [Array<string>, Array<string>] = [[], []]
  const page = (): Page => {
    if (opened === null) throw new Error("the browser is not open")
    return opened
  }

  beforeAll(async () => {
    if (executablePath === null) return
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    opened = await context.newPage()
    // As `until` waits: a runner that is not built makes its pages at the first look.
    opened.setDefaultTimeout(120_000)
    await opened.exposeFunction("graffiti", () => ran.push("graffiti"))
    opened.on("dialog", (dialog) => ran.push(dialog.message()))
    opened.on("console", (message) => {
      if (message.type() === "error") faults.push(message.text())
    })
    opened.on("pageerror", (error) => faults.push(String(error)))
  })

  afterAll(async () => {
    await browser?.close()
  })

  return {
    isThere: executablePath !== null,
    get page() {
      return page()
    },
    ran,
    faults,
    panel: (title) => page().getByRole("region", { name: title }),
    shows: (text, place = page()) => place.getByText(text).first().waitFor(),
    picture: async (name) => {
      if (pictures !== undefined)
        await page().screenshot({ path: `${pictures}/${name}.png`, fullPage: true })
    },
    logIn: async ({ url, token }, next) => {
      await page().goto(`${url}/login?next=${encodeURIComponent(next)}`)
      await page().locator("input").first().fill(token)
      await page().keyboard.press("Enter")
      await page().waitForURL((at) => at.pathname.startsWith("/console"))
      // The login has asked who is there.
      faults.length = 0
    }
  }
}
