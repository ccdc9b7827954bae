import { readFileSync } from "node:fs"

import { devOf } from "@atrium/api/testing/DevProject"
import { joinCredential } from "@atrium/api/testing/load/JoinCredential"
import { roomsOf } from "@atrium/api/testing/RoomsUnderTest"
import { call, deploy } from "@atrium/api/testing/RunningService"
import { sharedService } from "@atrium/api/testing/ServiceUnderTest"
import type { Page } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"

import { consoleUnderTest } from "./browser/ConsoleUnderTest.ts"

const service = sharedService()
const view = consoleUnderTest("The page of a player in Chromium")
const { ran, faults, panel, shows, picture } = view

/** The id of a player whom a game signs in: it would call a function of the page, and turn what stands beside it. */
const player = "<img src=x onerror=graffiti()>\u202e"
/** The same as a reader sees it. */
const shown = player.replace("\u202e", "\\u202e")

let page: Page
let project = ""

describe.skipIf(!view.isThere)("a player's page in Chromium", () => {
  beforeAll(async () => {
    const { url, token } = service
    const made = await call(url, "/v1/projects", { token, body: { name: "players" } })
    project = String(made.body["id"])
    const deployed = await deploy({ url, token, project }, ["rooms/boardSchema.ts"])
    if (deployed.status !== 201) throw new Error(JSON.stringify(deployed.body))
    page = view.page
    await view.logIn(service, "/console")
  })

  it("[C-807] [C-763] exports all that is kept of a player, and deletes it when that is typed", async () => {
    const { url, token } = service
    const path = `/v1/projects/${project}/players/${encodeURIComponent(player)}`
    const body = { key: "purse", value: { note: player } }
    const kept = await call(url, `${path}/kv/entry`, { token, method: "PUT", body })
    expect(kept.status).toBe(200)
    const query = new URLSearchParams({ player }).toString()
    await page.goto(`${url}/console/p/${project}/players?${query}`)
    await shows("No device is linked.", panel("Devices"))
    await shows("No rating.", panel("Ratings"))
    await shows("purse", panel("KV"))
    const saved = page.waitForEvent("download")
    await page.getByRole("button", { name: "Export" }).click()
    const file = await saved
    expect(file.suggestedFilename()).toBe("player-_img_src_x_onerror_graffiti_.json")
    const whole = JSON.parse(readFileSync(await file.path(), "utf8"))
    expect(whole.players).toEqual([
      { playerId: player, rows: expect.objectContaining({ devices: [], kv: [expect.anything()] }) }
    ])
    await page.getByRole("button", { name: "Delete the player" }).click()
    const dialog = page.getByRole("dialog", { name: "Delete this player?" })
    await shows(shown, dialog)
    const act = dialog.getByRole("button", { name: "Delete" })
    await dialog.getByRole("textbox").fill("ann")
    expect(await act.isDisabled()).toBe(true)
    // The id has a sign that no reader sees.
    await dialog.getByRole("textbox").fill("delete")
    await picture("player-delete")
    await act.click()
    await shows(/kept as pl_[0-9a-f]{16}/, panel("All that is kept"))
    await shows("Nothing is kept.", panel("KV"))
    const left = await call(url, `${path}/kv`, { token })
    expect(left.body["entries"]).toEqual([])
    await picture("player")
  })

  it("[C-808] [C-763] says why each ticket of a queue waits", async () => {
    const { url, token } = service
    const minted = await call(url, `/v1/projects/${project}/jwt-secret`, { token, body: {} })
    const secret = String(minted.body["secret"])
    const identity = joinCredential({ project, secret, player, name: "Ann" })
    const queued = await call(url, "/match", { body: { project, identity, waitMs: 120_000 } })
    expect(queued.body).toMatchObject({ status: "waiting" })
    await page.goto(`${url}/console/p/${project}/queues`)
    await page.getByRole("button", { name: "default" }).click()
    const waiting = panel("Who waits longest")
    await shows(/^the queue has 1 of 2/, waiting)
    await picture("queue")
    await waiting.getByRole("link", { name: shown }).click()
    await shows("No device is linked.", panel("Devices"))
  })

  it("[C-809] sets how long a room is kept, and deletes it when its id is typed", async () => {
    const rooms = roomsOf(service)
    const room = await rooms.join("kept")
    await page.goto(`${service.url}/console/p/${service.project}/rooms/kept`)
    const settings = panel("Settings")
    await settings.getByLabel("Kept after its last use").fill("soon")
    await settings.getByRole("button", { name: "Save" }).click()
    await settings.getByRole("alert").getByText("E_BAD_REQUEST").waitFor()
    await settings.getByLabel("Kept after its last use").fill("30d")
    await settings.getByRole("button", { name: "Save" }).click()
    await shows("the room's own", panel("Room"))
    await picture("room-settings")
    const left = new Promise<number>((resolve) => void room.onLeave(resolve))
    await settings.getByRole("button", { name: "Delete the room" }).click()
    const dialog = page.getByRole("dialog", { name: "Delete this room?" })
    await shows(/It is up: its players are sent away first/, dialog)
    expect(await dialog.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true)
    await dialog.getByRole("textbox").fill("kept")
    await dialog.getByRole("button", { name: "Delete" }).click()
    await page.waitForURL(/\/rooms$/)
    await left
    expect((await rooms.ask("/kept")).status).toBe(404)
  })

  it("[C-811] steps the clock of a room of dev", async () => {
    const deployed = await deploy(await devOf(service), ["rooms/probe.ts"])
    expect(deployed.status).toBe(201)
    await page.goto(`${service.url}/console/p/dev/playground`)
    await page.getByLabel("Room type").selectOption("probe")
    await page.getByRole("button", { name: "New room" }).click()
    await panel("Player 1").getByText("connected", { exact: true }).waitFor()
    await page.getByLabel("How far the clock goes").selectOption("1h")
    await page.getByRole("button", { name: "Step the clock" }).click()
    await shows(/^It was .+ in the room then\.$/, panel("Clock"))
    await picture("clock")
  })

  it("[C-763] nothing that a player is called has run, or has become markup", async () => {
    const strange = "img, iframe, main script, [onerror], main style, base"
    expect(await page.locator(strange).count()).toBe(0)
    expect(ran).toEqual([])
    // The duration that is none, and looks at the room that is gone.
    expect(faults.filter((fault) => !/status of 40[04]/.test(fault))).toEqual([])
  })
})
