import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import {
  changingGame,
  changingProject,
  duels,
  type MigrationCode
} from "../testing/ChangingGame.ts"
import { onDatabase } from "../testing/onDatabase.ts"
import { beginRehearsal, uploadBundle } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const service = serviceUnderTest()
let game: Awaited<ReturnType<typeof changingGame>>

beforeAll(async () => {
  game = await changingGame()
})
afterAll(() => game.remove())

type Project = Awaited<ReturnType<typeof changingProject>>

/** A project whose first version is deployed. */
const newProject = async (): Promise<Project> => {
  game.migrations.clear()
  const project = await changingProject(game, service)
  expect(await project.deploy("points")).toMatchObject({ status: 201, body: { version: 1 } })
  return project
}

const newClient = ({ project }: Project): Client => new Client(service.url, { project })

/** Stores a room with one fighter. */
const store = async (project: Project, roomId: string, hp: number): Promise<void> => {
  const room = await newClient(project).joinOrCreate(duels.points, { roomId })
  await room.request("play", { add: [{ name: roomId, hp }] })
  await room.leave()
  await until(`${roomId} sleeps`, async () => {
    const { body } = await project.ask(`/rooms/${roomId}`)
    return body["status"] === "hibernated"
  })
}

/** Stores the snapshot and the saves of a room under other ids, as if the rooms had been played. */
const copy = async ({ project }: Project, roomId: string, ids: ReadonlyArray<string>) => {
  for (const id of ids) {
    await onDatabase(
      service.databaseUrl,
      (sql) => sql`
        insert into objects (key, bytes, manifest, stored_at_ms)
        select replace(key, ${`/${roomId}/`}, ${`/${id}/`}), bytes, manifest, stored_at_ms
        from objects where key like ${`rooms/${project}/${roomId}/%`}`
    )
  }
}

const numbered = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => `copy-${at + 1}`)

/** Health by shares; `head` runs before each room. */
const shares = (head: string): MigrationCode => ({
  from: "points",
  to: "shares",
  room: `
    migrate: (old) => {
      ${head}
      return {
        match: old.match,
        fighters: old.fighters.map(({ hp, ...fighter }) => ({ ...fighter, health: hp / 100 })),
        graves: []
      }
    }`,
  player: "migrate: ({ wins }) => ({ score: wins })"
})

const fallen = `
  const dead = old.fighters.find(({ hp }) => hp === 0)
  if (dead !== undefined) throw new Error(dead.name + " has fallen")`

const targetOf = ({ project }: Project) => ({ url: service.url, token: service.token, project })

const begin = async (project: Project, bundle: Uint8Array, query = "") => {
  const { status, body } = await beginRehearsal(targetOf(project), bundle, query)
  return { status, body: Object(body) }
}

const read = async (project: Project, rehearsalId: unknown) =>
  Object((await project.ask(`/rehearsals/${String(rehearsalId)}`)).body)

const over = (project: Project, rehearsalId: unknown) =>
  until("the rehearsal is over", async () => {
    const rehearsal = await read(project, rehearsalId)
    return rehearsal.state !== "running" && rehearsal
  })

const wake = async (project: Project, roomId: string) => {
  const room = await newClient(project).joinById(roomId, duels.shares)
  const answer = await room.request("read", {})
  await room.leave()
  return answer
}

describe("a breaking deploy over fifty stored rooms", () => {
  it("[C-710] [C-712] [C-713] is refused while three rooms fail, and goes on when the migration is mended", async () => {
    const project = await newProject()
    await store(project, "good", 50)
    await store(project, "bad-1", 0)
    await copy(project, "good", numbered(46))
    await copy(project, "bad-1", ["bad-2", "bad-3"])
    game.migrations.set("0002-shares.ts", shares(fallen))
    const bundle = await game.bundle("shares")
    const { status, body: begun } = await begin(project, bundle)
    expect({ status, begun }).toMatchObject({
      status: 201,
      begun: { state: "running", version: 2, sample: null, rooms: { total: 50 } }
    })
    expect(begun.estimateMs).toBeGreaterThan(0)
    const rehearsal = await over(project, begun.rehearsalId)
    expect(rehearsal).toMatchObject({
      state: "failed",
      estimateMs: 0,
      rooms: { total: 50, done: 50, failed: 3 },
      states: { done: 50, skipped: 0 },
      failures: [
        {
          message: "the migration to version 2 failed: bad-1 has fallen",
          stack: expect.stringMatching(/migrations\/0002-shares\.ts:\d+/),
          roomId: "bad-1",
          saveId: null,
          version: 1,
          rooms: 3
        }
      ],
      failedRooms: ["bad-1", "bad-2", "bad-3"],
      diffs: [
        { roomId: "copy-1", type: "duel", version: 1 },
        { roomId: "copy-10" },
        { roomId: "copy-11" }
      ]
    })
    expect(rehearsal.diffs[0].lines).toEqual(["- fighters[1].hp: 50", "+ fighters[1].health: 0.5"])
    expect(rehearsal.bytes.before).toBeGreaterThan(0)
    expect(rehearsal.wakeMs.max).toBeGreaterThanOrEqual(rehearsal.wakeMs.mean)
    expect(await uploadBundle(targetOf(project), bundle, "?allowBreaking=true")).toEqual({
      status: 409,
      body: {
        error: {
          code: "E_REHEARSAL_FAILED",
          message: "bad-1: the migration to version 2 failed: bad-1 has fallen",
          rehearsalId: rehearsal.rehearsalId,
          roomId: "bad-1",
          rooms: 3
        }
      }
    })
    // Nothing has changed: the rooms wake where they were.
    const before = await newClient(project).joinById("bad-2", duels.points)
    expect(await before.request("read", {})).toMatchObject({ version: 1 })
    await before.leave()
    game.migrations.set("0002-shares.ts", shares(""))
    // Nobody has rehearsed it: the deploy does.
    expect(await project.deploy("shares", "?allowBreaking=true")).toMatchObject({
      status: 201,
      body: { version: 2 }
    })
    const { body: listed } = await project.ask("/rehearsals")
    expect(listed).toMatchObject([
      { state: "passed", rooms: { done: 50, failed: 0 }, failures: [], failedRooms: [] },
      { state: "failed" }
    ])
    for (const id of ["good", "bad-1", "bad-3", "copy-46"]) {
      expect(await wake(project, id)).toMatchObject({ version: 2 })
    }
  })

  it("[C-710] draws rooms for a sample, which lets no deploy go on", async () => {
    const project = await newProject()
    await store(project, "bad", 0)
    await copy(project, "bad", numbered(5))
    game.migrations.set("0002-shares.ts", shares(fallen))
    const bundle = await game.bundle("shares")
    const { body } = await begin(project, bundle, "?sample=3")
    expect(await over(project, body.rehearsalId)).toMatchObject({
      state: "failed",
      sample: 3,
      rooms: { total: 3, done: 3, failed: 3 }
    })
    for (const wrong of ["0", "1001", "x"]) {
      expect((await begin(project, bundle, `?sample=${wrong}`)).status).toBe(400)
    }
    expect(await uploadBundle(targetOf(project), bundle, "?allowBreaking=true")).toMatchObject({
      body: { error: { rooms: 6 } }
    })
  })
})

/** Counts for a tenth of a second or more. */
const slowly = "for (let at = 0, sum = 0; at < 1e8; at++) sum += at"

describe("a rehearsal that takes its time", () => {
  it(
    "[C-711] goes on where it was after a kill of the service, and when it was stopped",
    { tags: ["thorough"] },
    async () => {
      const project = await newProject()
      await store(project, "good", 50)
      const rooms = 30
      await copy(project, "good", numbered(rooms - 1))
      game.migrations.set("0002-shares.ts", shares(slowly))
      const bundle = await game.bundle("shares")
      const { body: begun } = await begin(project, bundle)
      const done = async (): Promise<number> => (await read(project, begun.rehearsalId)).rooms.done
      const before = await until("some rooms are through", async () => {
        const count = await done()
        return count >= 2 && count
      })
      expect(before).toBeLessThan(rooms)
      await service.stop("SIGKILL")
      await service.start()
      expect(await done()).toBeGreaterThanOrEqual(before)
      await until("it goes on", async () => (await done()) > before)
      const path = `/rehearsals/${begun.rehearsalId}`
      const stopped = await project.ask(`${path}/stop`, { method: "POST" })
      expect(stopped).toMatchObject({ status: 200, body: { state: "stopped" } })
      const at = Object(stopped.body).rooms.done
      expect(at).toBeLessThan(rooms)
      // A room that changed meanwhile is rehearsed once more.
      await store(project, "copy-1", 7)
      const again = await begin(project, bundle)
      expect(again.body).toMatchObject({ rehearsalId: begun.rehearsalId, state: "running" })
      expect(again.body.rooms.done).toBeGreaterThanOrEqual(at)
      expect(await over(project, begun.rehearsalId)).toMatchObject({
        state: "passed",
        rooms: { total: rooms, done: rooms, failed: 0, again: 1 }
      })
    }
  )
})
