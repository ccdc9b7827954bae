import { type ProbeRoom, roomsOf } from "@atrium/api/testing/RoomsUnderTest"
import { figures, shareShards, startRunner } from "@atrium/api/testing/Runners"
import { makeHome, type RunningService, type ServiceHome } from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, expect, it } from "vitest"

import { earlierRelease, type InstalledRelease, installRelease } from "./EarlierRelease.ts"

const tag = earlierRelease()

let release: InstalledRelease
let home: ServiceHome

beforeAll(async () => {
  if (tag === null) return
  release = installRelease(tag)
  home = await makeHome()
})

afterAll(async () => {
  await home?.remove()
  release?.remove()
})

const roomIds = ["a", "b", "c", "d"]

/** A client of a runner in each of the rooms. */
const joinAll = (on: RunningService): Promise<ReadonlyArray<ProbeRoom>> =>
  Promise.all(roomIds.map((id) => roomsOf(on).join(id)))

const title = "an upgrade one runner at a time loses nothing that was acknowledged"
const notice = "skipped: git shows no release before this commit"

it.skipIf(tag === null)(
  `[C-425] ${title} (${tag ?? notice})`,
  async () => {
    const older: Array<RunningService> = []
    for (let at = 0; at < 3; at++)
      older.push(await startRunner(home, { program: release.program, by: [] }))
    await shareShards(older)
    let running: ReadonlyArray<RunningService> = older
    const clients = new Map<RunningService, ReadonlyArray<ProbeRoom>>()
    for (const on of older) clients.set(on, await joinAll(on))
    const acknowledged = roomIds.map(() => 0)

    /** Every client of every runner adds one, at the latest when its room is where it goes. */
    const allAdd = async (): Promise<void> => {
      for (const on of running) {
        for (const [at, room] of (clients.get(on) ?? []).entries()) {
          const value = await until(`room ${roomIds[at]} answers`, () =>
            room.request("addDurably", { by: 1 }).then(
              (answer) => answer.value,
              () => null
            )
          )
          acknowledged[at] = (acknowledged[at] ?? 0) + 1
          // A call that got no answer may have been carried out, too.
          expect(value).toBeGreaterThanOrEqual(acknowledged[at] ?? 0)
        }
      }
    }

    await allAdd()
    for (const old of older) {
      for (const room of clients.get(old) ?? []) void room.leave()
      clients.delete(old)
      expect(await old.stop()).toBe(0)
      const newer = await startRunner(home)
      running = [...running.filter((each) => each !== old), newer]
      clients.set(newer, await joinAll(newer))
      await allAdd()
    }
    expect(await figures(running, "atrium_orphan_sockets_total")).toEqual([0, 0, 0])
    const [last] = running
    if (last === undefined) throw new Error("no runner")
    const values = await Promise.all(roomIds.map((id) => roomsOf(last).valueOf(id)))
    for (const [at, value] of values.entries()) {
      expect(value).toBeGreaterThanOrEqual(acknowledged[at] ?? 0)
    }
  },
  300_000
)
