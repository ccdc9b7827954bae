import { until } from "@atrium/domain/testing/Until"
import fc from "fast-check"
import { expect, it } from "vitest"

import { objectKeys } from "../testing/ObjectWrites.ts"
import { type Answered, codeOf, roomsOf } from "../testing/RoomsUnderTest.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()
const rooms = () => roomsOf(service)

/** What is done to a room; the number is a client's or a window's. */
type Deed = readonly [what: "delete" | "force" | "set" | "join" | "restore" | "read", n: number]

interface Done {
  readonly deed: Deed
  readonly answer: Answered | null
}

/** What each deed may answer, whatever the others do. */
const allowed: Readonly<Record<Deed[0], ReadonlyArray<string>>> = {
  delete: ["200", "404 E_ROOM_NOT_FOUND", "409 E_ROOM_IN_USE"],
  force: ["200", "404 E_ROOM_NOT_FOUND", "503 E_TENANT_WAKING"],
  set: ["200", "404 E_ROOM_NOT_FOUND"],
  join: ["joined", "refused"],
  restore: ["202", "404 E_ROOM_NOT_FOUND", "404 E_SAVE_NOT_FOUND", "503 E_TENANT_WAKING"],
  read: ["200", "404 E_ROOM_NOT_FOUND"]
}

const shown = ({ deed, answer }: Done): string => {
  if (deed[0] === "join") return answer === null ? "refused" : "joined"
  if (answer === null) return "nothing"
  return answer.status < 300 ? String(answer.status) : `${answer.status} ${codeOf(answer)}`
}

const ask = async (roomId: string, deed: Deed, saveId: string): Promise<Answered | null> => {
  const [what, n] = deed
  switch (what) {
    case "delete":
      return rooms().ask(`/${roomId}`, { method: "DELETE" })
    case "force":
      return rooms().ask(`/${roomId}?force=true`, { method: "DELETE" })
    case "set":
      return rooms().ask(`/${roomId}`, { method: "PATCH", body: { retention: `${n + 1}h` } })
    case "restore":
      return rooms().ask(`/${roomId}/restore`, { body: { saveId } })
    case "read":
      return rooms().ask(`/${roomId}`)
    case "join": {
      const room = await rooms()
        .join(roomId)
        .catch(() => null)
      if (room === null) return null
      // It may be put out again at any moment.
      await room.request("addDurably", { by: 1 }).catch(() => null)
      await room.leave().catch(() => null)
      return { status: 200, body: {} }
    }
  }
}

/** The room is at rest: no restore waits, nobody is in it. */
const settled = (roomId: string) =>
  until(`${roomId} rests`, async () => {
    const status = await rooms().status(roomId)
    return status === "hibernated" || status === undefined
  })

const savesOf = async (
  roomId: string
): Promise<ReadonlyArray<{ saveId: string; reason: string }>> =>
  Object.values((await rooms().ask(`/${roomId}/saves`)).body).map((save) => Object(save))

const deed: fc.Arbitrary<Deed> = fc.tuple(
  fc.constantFrom<Deed[0]>("delete", "force", "set", "set", "join", "join", "restore", "read"),
  fc.nat(9)
)

it("[state.room.delete-race-fresh-room] 100 deeds at once on the same rooms end as some order of them would", async () => {
  const seed = Number(process.env["ATRIUM_SEED"] ?? 20_261_121)
  const names = ["race-a", "race-b", "race-c"]
  const saveIds = new Map<string, string>()
  for (const name of names) {
    await rooms().asleep(name, 5)
    saveIds.set(name, (await savesOf(name))[0]?.saveId ?? "")
  }
  const deeds = fc.sample(fc.array(deed, { minLength: 100, maxLength: 100 }), {
    seed,
    numRuns: 1
  })[0]
  const all = (deeds ?? []).map(async (one, index): Promise<Done> => {
    const name = names[index % names.length] ?? ""
    return { deed: one, answer: await ask(name, one, saveIds.get(name) ?? "") }
  })
  const done = await Promise.all(all)
  expect(done).toHaveLength(100)
  for (const each of done)
    expect(allowed[each.deed[0]], `seed ${seed}: ${each.deed.join(" ")}`).toContain(shown(each))
  expect(new Set(done.map(shown)).size).toBeGreaterThan(1)

  for (const name of names) {
    await settled(name)
    const detail = await rooms().ask(`/${name}`)
    const keys = await objectKeys(service.databaseUrl, `/${name}/`)
    if (detail.status === 404) {
      // Deleted last: nothing of it is left, and nothing of it comes back.
      expect([name, keys]).toEqual([name, []])
      expect(await rooms().valueOf(name)).toBe(0)
      continue
    }
    // One snapshot, and the state of a serial history: what was saved last is what is read.
    expect(keys.filter((key) => key.includes("/snapshot/"))).toHaveLength(1)
    expect(detail.body["saves"]).toBe(keys.filter((key) => key.includes("/saves/")).length)
    const override = detail.body["retentionOverride"]
    const set = done
      .filter(({ deed: [what] }) => what === "set")
      .map(({ deed: [, n] }) => `${n + 1}h`)
    expect([null, ...set]).toContain(override)
    const value = await rooms().valueOf(name)
    const joins = done.filter(({ deed: [what] }) => what === "join").length
    expect(value).toBeLessThanOrEqual(5 + joins)
    const [newest] = await savesOf(name)
    expect(["hibernate", "restore"]).toContain(newest?.reason)
    expect((await rooms().ask(`/${name}?force=true`, { method: "DELETE" })).status).toBe(200)
    expect(await objectKeys(service.databaseUrl, `/${name}/`)).toEqual([])
  }
})

it("[saves.restore.queued] of 100 restores at once of one room all are queued or told to wait, and one state comes of them", async () => {
  await rooms().asleep("restored", 5)
  const [save] = await savesOf("restored")
  const room = await rooms().join("restored")
  await room.request("addDurably", { by: 60 })
  const answers = await Promise.all(
    Array.from({ length: 100 }, () =>
      rooms().ask("/restored/restore", { body: { saveId: save?.saveId ?? "" } })
    )
  )
  const told = answers.map((answer) => shown({ deed: ["restore", 0], answer }))
  expect(told).toContain("202")
  expect(told.filter((text) => text !== "202" && text !== "503 E_TENANT_WAKING")).toEqual([])
  await room.leave().catch(() => undefined)
  await until("a restore is through", async () =>
    (await savesOf("restored")).some(({ reason }) => reason === "restore")
  )
  await settled("restored")
  expect(await rooms().valueOf("restored")).toBe(5)
  await settled("restored")
  const keys = await objectKeys(service.databaseUrl, "/restored/snapshot/")
  expect(keys).toHaveLength(1)
  expect(await rooms().valueOf("restored")).toBe(5)
})
