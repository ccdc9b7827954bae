import { readFileSync } from "node:fs"
import { join } from "node:path"

import { call, uploadBundle } from "@atrium/api/testing/RunningService"
import { sharedService } from "@atrium/api/testing/ServiceUnderTest"
import { until } from "@atrium/domain/testing/Until"
import { bundleRooms } from "@atrium/sdk/bundle"
import { Client } from "@atrium/sdk/client"
import { chromium, type Page } from "playwright-core"
import { beforeAll, describe, expect, it } from "vitest"

import { cards } from "../examples/cards/schema.ts"
import { chromiumPath, servePage } from "./browser/Chromium.ts"
import { firstCards } from "./cards/firstSchema.ts"

const executablePath = chromiumPath("The example cards in Chromium")
const service = sharedService()
const example = join(import.meta.dirname, "../examples/cards")

let project = ""

/** Deploys to the project. @returns the status of the answer */
const deploy = async (
  folder: string,
  entries: ReadonlyArray<string>,
  query = ""
): Promise<number> => {
  const { url, token } = service
  const { bytes } = await bundleRooms({ entries, resolveDir: folder })
  const { status } = await uploadBundle({ url, token, project }, bytes, query)
  return status
}

beforeAll(async () => {
  const { url, token } = service
  const made = await call(url, "/v1/projects", { token, body: { name: "cards" } })
  project = String(made.body["id"])
})

it("[example.cards] players go on with the hands of version 1 after the deploy of the example with its migration", async () => {
  expect(await deploy(join(import.meta.dirname, "cards"), ["firstRoom.ts"])).toBe(201)
  const [ann, bob] = [1, 2].map(() => new Client(service.url, { project, identity: "tab" }))
  const roomId = "old-table"
  const first = await Promise.all(
    [ann, bob].map((each) => each?.joinOrCreate(firstCards, { roomId }))
  )
  for (const room of first) await room?.request("sit", {})
  const [annId = "", bobId = ""] = first.map((room) => room?.playerId)
  for (const room of first) await room?.leave()

  const files = ["room.ts", "migrations/0002-card-structs.ts"]
  expect(await deploy(example, files)).toBe(409)
  expect(await deploy(example, files, "?allowBreaking=true")).toBe(201)
  const room = await bob?.joinOrCreate(cards, { roomId })
  if (room === undefined) throw new Error("bob is not there")
  const { table, hands } = room.state
  expect([room.version, table.top, [...table.wins]]).toEqual([
    2,
    { suit: "hearts", rank: 10 },
    [
      [annId, 2],
      [bobId, 3]
    ]
  ])
  const held = [
    { suit: "hearts", rank: 11 },
    { suit: "spades", rank: 13 }
  ] as const
  expect([...hands].map(({ owner, cards: of }) => [owner, of])).toEqual([[bobId, held]])
  await room.request("play", { card: held[0] })
  await until("the card lies on the table", () => room.state.table.top?.rank === 11)
  expect([...room.state.hands].map(({ cards: of }) => of)).toEqual([[held[1]]])
  await room.leave()
})

/** The page, with the settings that its build would write. */
const pageHtml = (): string => {
  const settings: Readonly<Record<string, string>> = { service: service.url, project }
  return readFileSync(join(example, "index.html"), "utf8").replace(
    /(<meta name="atrium-(service|project)" content=")[^"]*/g,
    (_, start: string, name: string) => `${start}${settings[name]}`
  )
}

describe.skipIf(executablePath === null)("the page of the example", () => {
  it("[example.cards] two tabs play in turn with hands of their own", async () => {
    await deploy(example, ["room.ts", "migrations/0002-card-structs.ts"])
    const served = await servePage(join(example, "client.ts"), pageHtml())
    const browser = await chromium.launch({
      executablePath: executablePath ?? "",
      args: ["--no-sandbox"]
    })
    try {
      const context = await browser.newContext()
      const open = async (): Promise<Page> => {
        const page = await context.newPage()
        await page.goto(`${served.url}#table-of-two`)
        return page
      }
      const tabs = [await open(), await open()]
      const handOf = (tab: Page) => tab.locator("#hand button").allTextContents()
      const inTurn = async (): Promise<Page> => {
        const isOwn = (tab: Page) => tab.locator("#status", { hasText: "Your turn" }).isVisible()
        let found: Page | undefined
        await until("somebody's turn", async () => {
          const own = await Promise.all(tabs.map(isOwn))
          found = own.filter(Boolean).length === 1 ? tabs[own.indexOf(true)] : undefined
          return found !== undefined
        })
        if (found === undefined) throw new Error("nobody is in turn")
        return found
      }
      const first = await inTurn()
      const hands = await Promise.all(tabs.map(handOf))
      expect(hands.map(({ length }) => length)).toEqual([5, 5])
      expect(new Set(hands.flat()).size).toBe(10)
      const playable = first.locator("#hand button:enabled")
      const plays = (await playable.count()) > 0
      await (plays ? playable.first() : first.locator("#draw")).click()
      await until("the next turn", async () => (await inTurn()) !== first)
      expect(await handOf(first)).toHaveLength(plays ? 4 : 6)
    } finally {
      await browser.close()
      await served.end()
    }
  })
})
