import { graffiti } from "@atrium/api/testing/rooms/graffitiSchema"
import { call, deploy } from "@atrium/api/testing/RunningService"
import { sharedService } from "@atrium/api/testing/ServiceUnderTest"
import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { expect, it } from "vitest"

import { consoleUnderTest } from "./browser/ConsoleUnderTest.ts"

const service = sharedService()
const view = consoleUnderTest("The console in Chromium")
const { panel, shows, faults } = view

// Each page by itself, with hostile content: console*.long.test.ts.
it.skipIf(!view.isThere)(
  "[C-760] [C-773] [C-775] [C-777] [D-58] [C-800] an owner sees a room play, finds why it crashed, compares two saves, branches one, and sets a cap",
  async () => {
    const { url, token } = service
    const made = await call(url, "/v1/projects", { token, body: { name: "paint" } })
    const project = String(made.body["id"])
    expect((await deploy({ url, token, project }, ["rooms/graffiti.ts"])).status).toBe(201)
    const client = new Client(url, { project, reconnectForMs: 0 })
    const enter = () => client.joinOrCreate(graffiti, { roomId: "wall" })
    const { page } = view
    await view.logIn(service, `/console/p/${project}`)
    await shows("No room yet.")

    const room = await enter()
    await page.getByRole("link", { name: "wall" }).click()
    await room.request("spray", { text: "first" })
    await shows('"first"', panel("State"))
    await panel("1 client").waitFor()

    await room.request("crash", { text: "no paint left" }).catch(() => undefined)
    await shows(/Crashed: its code threw an error that nothing catches/, panel("Life"))
    await shows(/no paint left.*\n?.*graffiti\.ts:\d+/, panel("Log"))
    await shows(/Restarted on version 1/, panel("Life"))
    await room.leave()

    for (const text of ["second", "third"]) {
      const player = await enter()
      await player.request("spray", { text })
      await player.leave()
      await until("the room sleeps", async () => {
        const { body } = await call(url, `/v1/projects/${project}/rooms/wall`, { token })
        return body["status"] === "hibernated"
      })
    }
    await panel("Room").getByRole("link").click()
    const saves = panel(/^\d+ saves?$/)
    await saves.getByRole("checkbox").nth(1).check()
    await shows('"second"', panel("State in the save"))
    await saves.getByRole("checkbox").first().check()
    const differs = panel("What differs").getByRole("row").filter({ hasText: "wall › text" })
    await shows('"second"', differs)
    await shows('"third"', differs)

    await saves.getByRole("button", { name: "Branch" }).nth(1).click()
    const dialog = page.getByRole("dialog", { name: "Branch a room from this save?" })
    await dialog.getByRole("textbox").fill("wall-broken")
    await dialog.getByRole("button", { name: "Branch" }).click()
    await page.waitForURL(/rooms\/wall-broken$/)
    await shows('"second"', panel("State"))

    await page.getByRole("link", { name: "Usage" }).click()
    const cap = panel("Room hours")
    await cap.getByRole("button", { name: "Set a ceiling" }).click()
    await cap.getByLabel("Ceiling of Room hours in hours").fill("0")
    await page.keyboard.press("Enter")
    await shows("The wall is reached.", cap)
    expect(faults).toEqual([])
  }
)
