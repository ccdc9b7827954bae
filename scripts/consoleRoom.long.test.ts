import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { joinCredential } from "@atrium/api/testing/load/JoinCredential"
import { graffiti } from "@atrium/api/testing/rooms/graffitiSchema"
import { call, deploy, deployAnew } from "@atrium/api/testing/RunningService"
import { sharedService } from "@atrium/api/testing/ServiceUnderTest"
import { until } from "@atrium/domain/testing/Until"
import { Client, type ClientRoom } from "@atrium/sdk/client"
import type { Page, Request } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import { consoleUnderTest } from "./browser/ConsoleUnderTest.ts"

const service = sharedService()
const view = consoleUnderTest("The room's page in Chromium")
const { ran, faults, panel, shows, picture } = view
/** It would call a function of the page, and turn what stands beside it. */
const markup = "<img src=x onerror=graffiti()><script>graffiti()</script>\u202e"
/** The same as a reader sees it. */
const shown = markup.replace("\u202e", "\\u202e")

let page: Page
let project = ""
let secret = ""
/** Of the commands. */
let folder = ""
const speedShown = (): Promise<string> => page.getByLabel("Speed").inputValue()

const failedRehearsal = {
  rehearsalId: "rh_1",
  state: "failed",
  createdAt: "2026-11-28T10:00:00.000Z",
  version: 3,
  sample: null,
  rooms: { total: 2, done: 2, failed: 1, again: 0 },
  states: { done: 3, skipped: 0 },
  estimateMs: 0,
  bytes: { before: 10, after: 20 },
  wakeMs: { mean: 0.4, max: 1, roomId: "wall" },
  failures: [
    { message: markup, stack: markup, roomId: "wall", saveId: null, version: 2, rooms: 1 }
  ],
  failedRooms: ["wall"],
  diffs: [{ roomId: "wall", type: "graffiti", version: 2, lines: [`- wall.text: ${markup}`] }]
}
const quarantined = {
  project: "",
  roomId: "wall",
  status: "closed",
  slot: 0,
  lastSeen: "2026-11-28T10:00:00.000Z",
  clients: 0,
  maxClients: 2,
  backfill: false,
  retention: null,
  retentionOverride: null,
  deletesAt: null,
  quarantined: 2
}

/** @param name as a game's own backend tells it: it says what it likes */
const enter = (player: string, name = player): Promise<ClientRoom<typeof graffiti>> => {
  const token = joinCredential({ project, secret, player, name })
  return new Client(service.url, { project, token }).joinOrCreate(graffiti, { roomId: "wall" })
}

/** A command of the owner, as a terminal runs it. */
const atrium = (...argv: ReadonlyArray<string>): ChildProcess => {
  const command = spawn(process.execPath, [cliMain, ...argv], {
    cwd: folder,
    env: { ...process.env, ATRIUM_URL: service.url, ATRIUM_TOKEN: service.token },
    stdio: ["ignore", "pipe", "inherit"]
  })
  commands.add(command)
  return command
}
/** The commands that were started: a command of a failed test does not end by itself. */
const commands = new Set<ChildProcess>()
const cliMain = join(import.meta.dirname, "../packages/cli/src/main.ts")

const ended = async (command: ChildProcess): Promise<void> => {
  const [code] = await once(command, "exit")
  expect(code).toBe(0)
}

/** The page that a command says that it serves. */
const addressOf = async ({ stdout }: ChildProcess): Promise<string> => {
  let out = ""
  for await (const part of stdout ?? []) {
    out += String(part)
    const [address] = /http:\/\/localhost:\d+\/replay\/[\w-]+/.exec(out) ?? []
    if (address !== undefined) return address
  }
  throw new Error(`it said no address: ${out}`)
}

describe.skipIf(!view.isThere)("a room's page in Chromium", () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "atrium-report-"))
    const { url, token } = service
    const made = await call(url, "/v1/projects", { token, body: { name: markup.slice(0, -1) } })
    project = String(made.body["id"])
    const deployed = await deploy({ url, token, project }, ["rooms/graffiti.ts"])
    if (deployed.status !== 201) throw new Error(JSON.stringify(deployed.body))
    const path = `/v1/projects/${project}/jwt-secret`
    secret = String((await call(url, path, { token, body: {} })).body["secret"])
    page = view.page
    await view.logIn(service, `/console/p/${project}/rooms/wall`)
    await shows("There is no such room.")
    // The page asks for the room again and again, which is not there.
    await page.goto("about:blank")
    faults.length = 0
  })

  afterAll(async () => {
    for (const command of commands) command.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true })
  })

  it("[C-773] [C-763] shows what a room thinks, says and holds as text, as it changes", async () => {
    const hostile = await enter(markup, markup)
    const plain = await enter("ann", "Ann")
    await page.goto(`${service.url}/console/p/${project}/rooms/wall`)
    const state = panel("State")
    await shows("What the room holds now.", state)
    await hostile.request("spray", { text: markup })
    await shows(shown, state)
    await shows("hidden", state)
    await shows("sprayed", state)
    const tags = state.getByRole("button", { name: "tags" })
    await tags.focus()
    await page.keyboard.press("Enter")
    expect(await tags.getAttribute("aria-expanded")).toBe("true")
    await shows(shown, panel("2 clients"))
    await shows(shown, panel("Log"))
    await shows("Created on version 1", panel("Life"))
    await hostile.request("spray", { text: "second" })
    await shows('"second"', state.locator(".changed"))
    await picture("room")
    await hostile.request("fill", { marks: 250 })
    await state.getByRole("button", { name: "marks" }).first().click()
    await state.getByRole("button", { name: "marks" }).first().click()
    await shows("152 more", state)
    await plain.leave()
    await shows(shown, panel("1 client"))
    await hostile.leave()
    await shows(/The room sleeps/, state)
    await shows("Nobody is here.")
  })

  it("[C-838] [C-840] [C-763] shows a clip to everybody, as text, and a report from its file", async () => {
    const hostile = await enter(markup, markup)
    await hostile.request("spray", { text: markup })
    const path = `/v1/projects/${project}/rooms/wall/clips`
    const made = await call(service.url, path, { token: service.token, body: {} })
    const clipId = String(made.body["clipId"])
    const cookies: Array<string | undefined> = []
    const asked = (request: Request): void => {
      if (!request.url().includes("/v1/")) return
      void request.allHeaders().then((headers) => cookies.push(headers["cookie"]))
    }
    page.on("request", asked)
    await page.goto(`${service.url}/replay/${clipId}`)
    await page.getByRole("img", { name: /^A map of \d+ marks$/ }).waitFor()
    await shows("No message yet.", panel("Messages"))
    await page.keyboard.press(" ")
    // The clip is as short as the room's life was, and it ends by itself.
    await shows(shown, panel("Messages"))
    await shows(shown, panel("State"))
    await page.getByRole("button", { name: "Play" }).waitFor()
    await picture("replay")
    expect(await page.evaluate("document.title")).toBe("wall · Replay · Atrium")
    await page.emulateMedia({ colorScheme: "dark" })
    await page.setViewportSize({ width: 360, height: 720 })
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360)
    await picture("replay-narrow-dark")
    const strange = "img, iframe, main script, [onerror], main style, base"
    expect(await page.locator(strange).count()).toBe(0)
    page.off("request", asked)
    expect(cookies).toEqual(cookies.map(() => undefined))
    expect(cookies.length).toBeGreaterThan(1)
    expect([ran, faults]).toEqual([[], []])
    await page.goto(`${service.url}/replay/rp_${"x".repeat(32)}`)
    await shows("This replay is not here.")
    await picture("replay-gone-narrow-dark")
    expect(faults.splice(0).filter((fault) => !fault.includes("status of 404"))).toEqual([])
    await page.emulateMedia({ colorScheme: "light" })
    await page.setViewportSize({ width: 1280, height: 900 })
    const file = join(folder, "wall.json")
    // A report has the last seconds of the room: on a slow machine those before are longer ago.
    await hostile.request("spray", { text: markup })
    await ended(atrium("replays", "report", "wall", "--project", project, "-o", file))
    await hostile.leave()
    expect(readFileSync(file, "utf8")).toContain(JSON.stringify(markup).slice(1, -1))
    const viewer = atrium("dev", "--replay", file)
    const address = await addressOf(viewer)
    await page.goto(address)
    await page.getByRole("img", { name: /^A map of \d+ marks$/ }).waitFor()
    await page.keyboard.press(">")
    await until("the page shows the speed", async () => (await speedShown()) === "2")
    await page.keyboard.press("End")
    await shows(shown, panel("State"))
    await picture("replay-of-a-file")
    expect(await page.locator(strange).count()).toBe(0)
    expect([ran, faults]).toEqual([[], []])
    viewer.kill("SIGINT")
    await ended(viewer)
    await page.goto(`${service.url}/console/p/${project}/replays`)
    const links = page.getByRole("link", { name: "Watch" })
    // The report has made a clip of its own, which is the newer one.
    await links.nth(1).waitFor()
    expect(await links.nth(1).getAttribute("href")).toBe(`/replay/${clipId}`)
    await picture("replays")
    await page.getByRole("button", { name: "Delete" }).nth(1).click()
    const dialog = page.getByRole("dialog", { name: "Delete this clip?" })
    await dialog.getByRole("button", { name: "Delete" }).click()
    await links.nth(1).waitFor({ state: "detached" })
    expect((await call(service.url, `/v1/replays/${clipId}`)).status).toBe(404)
    expect([ran, faults]).toEqual([[], []])
    await page.goto(`${service.url}/console/p/${project}/rooms/wall`)
  })

  it("[D-60] [C-773] asks before it kicks, and says whom", async () => {
    const hostile = await enter(markup, markup)
    const stays = await enter("ann")
    const ends: Array<number> = []
    hostile.onLeave((code) => ends.push(code))
    const row = panel("2 clients").getByRole("row").filter({ hasText: "graffiti()" })
    await row.getByRole("button", { name: "Kick" }).click()
    const dialog = page.getByRole("dialog", { name: "Kick this client?" })
    await shows(shown, dialog)
    await picture("kick")
    // The first button of the question does nothing.
    expect(await dialog.getByRole("button").first().textContent()).toBe("Cancel")
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "detached" })
    expect(ends).toEqual([])
    await row.getByRole("button", { name: "Kick" }).click()
    await dialog.getByRole("button", { name: "Kick" }).click()
    await until("the client is told", () => ends.length > 0)
    expect(ends).toEqual([4410])
    await panel("1 client").waitFor()
    await stays.leave()
  })

  it("[C-775] [C-763] tells why a room crashed in the words of its code", async () => {
    const room = await enter("ann")
    await room.request("crash", { text: markup }).catch(() => undefined)
    await shows(/Crashed: its code threw an error that nothing catches/, panel("Life"))
    await shows(/<img src=x onerror=graffiti\(\)>/, panel("Life"))
    await shows(/the room's process ended: crashed/, panel("Log"))
    await shows(/Restarted on version 1/, panel("Life"))
    await picture("room-crashed")
    await room.leave()
  })

  it("[C-776] [C-777] [D-58] opens a save, compares two, branches one, and asks before it restores", async () => {
    for (const text of ["second", `${markup}, later`]) {
      const room = await enter("ann")
      await room.request("spray", { text })
      await room.leave()
      const path = `/v1/projects/${project}/rooms/wall`
      await until("the room sleeps", async () => {
        const { body } = await call(service.url, path, { token: service.token })
        return body["status"] === "hibernated"
      })
    }
    await shows(/The room sleeps/, panel("State"))
    await panel("Room").getByRole("link").click()
    const list = panel(/^\d+ saves?$/)
    const boxes = list.getByRole("checkbox")
    await boxes.first().press("Space")
    const content = panel("State in the save")
    await shows(`${shown}, later`, content)
    await picture("save")
    await boxes.nth(1).press("Space")
    const changes = panel("What differs").getByRole("row").filter({ hasText: "wall › text" })
    await shows(`${shown}, later`, changes)
    await picture("saves-compared")
    const saved = page.waitForEvent("download")
    await list.getByRole("button", { name: "Download" }).first().click()
    expect((await saved).suggestedFilename()).toMatch(/^sv_[0-9a-f]+\.save$/)
    await list.getByRole("button", { name: "Branch" }).nth(1).click()
    const branch = page.getByRole("dialog", { name: "Branch a room from this save?" })
    await branch.getByRole("textbox").fill("wall")
    await branch.getByRole("button", { name: "Branch" }).click()
    await shows("E_ROOM_EXISTS", branch)
    await picture("branch-refused")
    await branch.getByRole("textbox").fill("wall-broken")
    await branch.getByRole("button", { name: "Branch" }).click()
    // The page of the new room, whose state is that of the save.
    await page.waitForURL(/rooms\/wall-broken$/)
    await shows('"second"', panel("State"))
    await shows("a branch of wall", panel("Life"))
    await picture("branch")
    await page.goBack()
    await list.getByRole("button", { name: "Restore" }).nth(1).click()
    const dialog = page.getByRole("dialog", { name: "Put the room back to this save?" })
    await shows(/Every room of this project is interrupted/, dialog)
    const restore = dialog.getByRole("button", { name: "Restore" })
    await dialog.getByRole("textbox").fill("walls")
    expect(await restore.isDisabled()).toBe(true)
    await dialog.getByRole("textbox").fill("wall")
    await picture("restore")
    await restore.click()
    await shows(/^Queued: the room goes back to sv_/, list)
  })

  it("[C-779] [C-763] shows versions, failed rehearsals and rooms in quarantine, and rolls back when asked so", async () => {
    const { url, token } = service
    const anew = await deployAnew({ url, token, project }, ["rooms/graffiti.ts"])
    expect(anew.body["version"]).toBe(2)
    // Room code cannot say markup in a migration of this project: the answers of the service are made here.
    await page.route("**/rehearsals", (route) => route.fulfill({ json: [failedRehearsal] }))
    await page.route("**/rooms?active=false", (route) => route.fulfill({ json: [quarantined] }))
    await page.route("**/deployments", async (route) => {
      const answer = await route.fetch()
      const [first, ...rest] = await answer.json()
      await route.fulfill({ response: answer, json: [{ ...first, quarantine: true }, ...rest] })
    })
    await page.getByRole("link", { name: "Deployments" }).click()
    const versions = panel("Versions")
    await versions.getByRole("button", { name: "2", exact: true }).click()
    await shows("the same schema", panel("Version 2"))
    await shows(shown, panel("Rehearsals"))
    await page.getByText("What changes in one room").click()
    await shows(`- wall.text: ${shown}`, panel("Rehearsals"))
    await panel("Rooms in quarantine").getByRole("link", { name: "wall" }).waitFor()
    await picture("deployments")
    await versions.getByRole("button", { name: "Roll back" }).click()
    const dialog = page.getByRole("dialog", { name: "Roll back to version 1?" })
    await dialog.getByRole("textbox").fill("rollback 1")
    await dialog.getByRole("button", { name: "Roll back" }).click()
    await shows("Version 3 is current, and has the code of version 1.", versions)
    await shows("code of 1", versions)
    await page.unrouteAll()
  })

  it("[C-774] [C-763] plots the last hour, in a project that is called like markup", async () => {
    await page.getByRole("link", { name: "Last hour" }).click()
    await shows("Joins in ten seconds")
    expect(await page.locator(".plot canvas").count()).toBe(6)
    const name = page.getByRole("link", { name: shown.replace("\\u202e", "") })
    await name.waitFor()
    await picture("hour")
    for (const at of ["", `/p/${project}/rooms`]) {
      await page.goto(`${service.url}/console${at}`)
      await name.waitFor()
    }
  })

  it("[C-801] [C-763] finds what rooms have logged, by a text and as it comes", async () => {
    await page.goto(`${service.url}/console/p/${project}/logs`)
    await shows(shown, panel("As they come"))
    await page.getByLabel("Text that a line holds").fill("the room's process ended")
    await page.getByLabel("When").selectOption("1h")
    await shows(/the room's process ended: crashed/, panel("The last 1h"))
    expect(await panel("The last 1h").getByText(shown).count()).toBe(0)
    await page.getByLabel("Text that a line holds").fill("graffiti()")
    await page.getByRole("button", { name: "Search", exact: true }).click()
    await shows(shown, panel("The last 1h"))
    await picture("logs")
  })

  it("[C-763] nothing that a room or a player says has run, or has become markup", async () => {
    await page.setViewportSize({ width: 360, height: 720 })
    await page.emulateMedia({ colorScheme: "dark" })
    await page.goto(`${service.url}/console/p/${project}/rooms/wall`)
    await shows(shown, panel("Log"))
    await shows(shown, panel("State"))
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360)
    await picture("room-narrow-dark")
    const strange = "img, iframe, main script, [onerror], main style, base"
    expect(await page.locator(strange).count()).toBe(0)
    // The branch to an id that is taken.
    expect(faults.filter((fault) => fault.includes("status of 409"))).toHaveLength(1)
    expect([ran, faults.filter((fault) => !/status of 40[49]/.test(fault))]).toEqual([[], []])
  })
})
