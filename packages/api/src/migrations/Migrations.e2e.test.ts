import { until } from "@atrium/domain/testing/Until"
import { Client, type ClientRoom } from "@atrium/sdk/client"
import type { AnyRoomSchema } from "@atrium/sdk/schema"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import { changingGame, changingProject, type DuelName, duels } from "../testing/ChangingGame.ts"
import { call, uploadBundle } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()
let game: Awaited<ReturnType<typeof changingGame>>

beforeAll(async () => {
  game = await changingGame()
})
afterAll(() => game.remove())

type Project = Awaited<ReturnType<typeof changingProject>>

const newProject = (): Promise<Project> => {
  game.migrations.clear()
  return changingProject(game, service)
}

/** A player who keeps one identity over all versions. */
const playerOf = async ({ project }: Project) => {
  const identity = await call(service.url, "/v1/identity", { body: { project } })
  const token = String(identity.body["token"])
  const join = (name: DuelName, roomId: string): Promise<ClientRoom<AnyRoomSchema>> =>
    new Client(service.url, { project, token }).joinOrCreate(duels[name] as AnyRoomSchema, {
      roomId
    })
  /** Plays for a moment, and reads what is there then. */
  const plays = async (name: DuelName, roomId: string, args?: object) => {
    const room = await join(name, roomId)
    if (args !== undefined) await ask(room, "play", args)
    const read = Object(await ask(room, "read"))
    await room.leave()
    return read
  }
  return { join, plays }
}

const ask = (room: ClientRoom<AnyRoomSchema>, name: string, args: object = {}): Promise<unknown> =>
  // The names of calls are those of a schema that the compiler does not know here.
  room.request(name as never, args as never)

const asleep = ({ ask: asks }: Project, roomId: string): Promise<unknown> =>
  until(`${roomId} sleeps`, async () => {
    const { body } = await asks(`/rooms/${roomId}`)
    return body["status"] === "hibernated"
  })

const toShares = {
  from: "points",
  to: "shares",
  room: `
    migrate: (old) => ({
      match: old.match,
      fighters: old.fighters.filter(({ hp }) => hp > 0)
        .map(({ hp, ...fighter }) => ({ ...fighter, health: hp / 100 })),
      graves: old.fighters.filter(({ hp }) => hp === 0).map(({ name }) => ({ name }))
    }),
    back: (now) => ({
      match: now.match,
      fighters: now.fighters.map(({ health, ...fighter }) => ({ ...fighter, hp: Math.round(health * 100) }))
    })`,
  player: `
    migrate: ({ wins }) => ({ score: wins * 10 }),
    back: ({ score }) => ({ wins: Math.floor(score / 10) })`
} as const
const toTeams = {
  from: "shares",
  to: "teams",
  room: `
    migrate: (old) => ({
      match: { round: old.match.round * 100, label: old.match.phase },
      deck: { seed: old.match.round + 40 },
      fighters: old.fighters.map((fighter) => ({ ...fighter, team: fighter.id % 2 })),
      graves: old.graves
    })`,
  player: `migrate: ({ score }) => ({ score, league: score > 50 ? "gold" : "wood" })`
} as const

const fight = {
  match: { round: 3, phase: "play" },
  add: [
    { name: "ann", hp: 50 },
    { name: "bea", hp: 0 },
    { name: "cid", foe: 1 }
  ],
  remove: [],
  player: { wins: 7 }
}

describe("a breaking schema", () => {
  it("[C-700] [C-702] is refused with what it concerns; with migrations rooms go through each version", async () => {
    const project = await newProject()
    const ann = await playerOf(project)
    expect(await project.deploy("points")).toMatchObject({ status: 201, body: { version: 1 } })
    await ann.plays("points", "one", fight)
    await ann.plays("points", "two", fight)
    await Promise.all(["one", "two"].map((id) => asleep(project, id)))
    const refused = {
      error: {
        code: "E_SCHEMA_BREAKING",
        message: "duel: entities.fighters.hp was removed",
        type: "duel",
        difference: "entities.fighters.hp was removed",
        rooms: 2,
        saves: 2
      }
    }
    expect(await project.deploy("shares")).toEqual({ status: 409, body: refused })
    expect(await project.deploy("shares", "?allowBreaking=true")).toMatchObject({
      status: 409,
      body: { error: { difference: expect.stringContaining("no migration leads over it") } }
    })
    game.migrations.set("0002-shares.ts", toShares)
    expect(await project.deploy("shares")).toEqual({ status: 409, body: refused })
    expect(await project.deploy("shares", "?allowBreaking=true")).toMatchObject({
      status: 201,
      body: { version: 2 }
    })
    const shares = await ann.plays("shares", "one")
    expect(shares).toEqual({
      version: 2,
      state: {
        match: { round: 3, phase: "play" },
        fighters: [
          { id: 1, name: "ann", health: 0.5, foe: 0 },
          { id: 3, name: "cid", health: 1, foe: 1 }
        ],
        graves: [{ id: 4, name: "bea" }]
      },
      player: { score: 70 }
    })
    game.migrations.set("0003-teams.ts", toTeams)
    expect(await project.deploy("teams", "?allowBreaking=true")).toMatchObject({
      body: { version: 3 }
    })
    await asleep(project, "one")
    // One of them has slept since the first version, the other one since the second.
    const state = (graves: ReadonlyArray<object>) => ({
      version: 3,
      state: {
        match: { round: 300, label: "play" },
        fighters: [
          { id: 1, name: "ann", health: 0.5, foe: 0, team: 1 },
          { id: 3, name: "cid", health: 1, foe: 1, team: 1 }
        ],
        graves
      },
      player: { score: 70, league: "gold" },
      deck: { seed: 43 }
    })
    const grave = { id: 4, name: "bea" }
    expect(await ann.plays("teams", "two")).toEqual(state([grave]))
    expect(await ann.plays("teams", "one")).toEqual(state([grave]))
    expect(await project.ask("/rollback", { method: "POST", body: {} })).toEqual({
      status: 409,
      body: {
        error: {
          code: "E_NO_ROLLBACK",
          message: "the migration to version 3 has no way back for duel"
        }
      }
    })
  })

  it("[C-705] leaves a room on its version whose migration fails, until a later version mends it", async () => {
    const project = await newProject()
    const ann = await playerOf(project)
    await project.deploy("points")
    await ann.plays("points", "good", { add: [{ name: "ann", hp: 50 }] })
    await ann.plays("points", "bad", { add: [{ name: "bea", hp: 1 }] })
    await Promise.all(["good", "bad"].map((id) => asleep(project, id)))
    const room = `
      migrate: (old) => ({
        match: old.match,
        fighters: old.fighters.map(({ hp, ...fighter }) => {
          if (hp === 0) throw new Error(fighter.name + " has fallen")
          return { ...fighter, health: hp / 100 }
        }),
        graves: []
      })`
    game.migrations.set("0002-shares.ts", { ...toShares, room })
    const bundle = await game.bundle("shares")
    await project.rehearse(bundle)
    // It changes after the rehearsal: what it is now, its hand-over finds out.
    await ann.plays("points", "bad", { remove: [1], add: [{ name: "bea", hp: 0 }] })
    await asleep(project, "bad")
    const target = { url: service.url, token: service.token, project: project.project }
    expect(await uploadBundle(target, bundle, "?allowBreaking=true")).toMatchObject({ status: 201 })
    expect(await ann.plays("shares", "good")).toMatchObject({
      version: 2,
      state: { fighters: [{ id: 1, name: "ann", health: 0.5 }] }
    })
    // It plays on with the code and the state that it had.
    expect(await ann.plays("points", "bad")).toMatchObject({
      version: 1,
      state: { fighters: [{ id: 2, name: "bea", hp: 0 }] }
    })
    const logs = await until("the log says why", async () => {
      const text = JSON.stringify((await project.ask("/logs")).body)
      return text.includes("has fallen") && text
    })
    expect(logs).toContain(
      "the room stays on version 1, as the migration to version 2 failed: bea has fallen"
    )
    expect(logs).toMatch(/migrations\/0002-shares\.ts:\d+/)
    game.migrations.set("0002-shares.ts", toShares)
    expect(await project.deploy("shares", "?allowBreaking=true")).toMatchObject({
      body: { version: 3 }
    })
    const mended = { version: 3, state: { fighters: [], graves: [{ id: 3, name: "bea" }] } }
    await asleep(project, "bad")
    expect(await ann.plays("shares", "bad")).toMatchObject(mended)
  })

  it("[C-703] [C-707] with strategy drain a room that is up plays on with the old code until it is empty", async () => {
    const project = await newProject()
    const [ann, bea] = [await playerOf(project), await playerOf(project)]
    await project.deploy("points")
    const stayed = await ann.join("points", "long")
    await ask(stayed, "play", fight)
    game.migrations.set("0002-shares.ts", toShares)
    expect(await project.deploy("shares", "?allowBreaking=true&strategy=drain")).toMatchObject({
      body: { version: 2, strategy: "drain" }
    })
    const won = { player: { score: 5 } }
    expect(await bea.plays("shares", "new", won)).toMatchObject({ version: 2, ...won })
    expect(await ask(stayed, "read")).toMatchObject({ version: 1, player: { wins: 7 } })
    // What the player has in the new version would be lost in the old one.
    await expect(bea.join("points", "long")).rejects.toMatchObject({
      code: "E_JOIN_REFUSED",
      message: expect.stringContaining("the player was in version 2, and the room is on 1")
    })
    await stayed.leave()
    await asleep(project, "long")
    expect(await ann.plays("shares", "long")).toMatchObject({
      version: 2,
      state: { match: { round: 3 }, graves: [{ id: 4, name: "bea" }] },
      player: { score: 70 }
    })
  })

  it("[C-708] goes back with the ways back of its migrations", async () => {
    const project = await newProject()
    const ann = await playerOf(project)
    await project.deploy("points")
    await ann.plays("points", "one", fight)
    await asleep(project, "one")
    game.migrations.set("0002-shares.ts", toShares)
    await project.deploy("shares", "?allowBreaking=true")
    const up = await ann.join("shares", "one")
    const left = new Promise<string>((resolve) => up.onLeave((_code, reason) => resolve(reason)))
    await ask(up, "play", { add: [{ name: "dot", health: 0.25 }], player: { score: 93 } })
    expect(await project.ask("/rollback", { method: "POST", body: {} })).toMatchObject({
      status: 201,
      body: { version: 3, rollbackOf: 1 }
    })
    // The room hands over at once; this client cannot read what it is now.
    expect(await left).toBe("E_SCHEMA_MISMATCH")
    expect(await ann.plays("points", "one")).toEqual({
      version: 3,
      state: {
        match: { round: 3, phase: "play" },
        fighters: [
          { id: 1, name: "ann", hp: 50, foe: 0 },
          { id: 3, name: "cid", hp: 100, foe: 1 },
          { id: 4, name: "dot", hp: 25, foe: 0 }
        ]
      },
      player: { wins: 9 }
    })
  })

  it("[C-701] starts every room anew in the project's preRelease", async () => {
    const project = await newProject()
    const ann = await playerOf(project)
    const settings = { name: "changing", preRelease: true }
    expect(await project.ask("", { method: "PATCH", body: settings })).toMatchObject({
      status: 200,
      body: settings
    })
    await project.deploy("points")
    await ann.plays("points", "slept", fight)
    await asleep(project, "slept")
    const up = await ann.join("points", "up")
    await ask(up, "play", fight)
    await ask(up, "save")
    const left = new Promise<string>((resolve) => up.onLeave((_code, reason) => resolve(reason)))
    const saves = await project.ask("/rooms/slept/saves")
    expect(saves.body).toHaveLength(1)
    expect(await project.deploy("shares")).toMatchObject({
      status: 201,
      body: { version: 2, discards: true }
    })
    expect(await left).toBe("E_SCHEMA_MISMATCH")
    const anew = {
      version: 2,
      state: { match: { round: 0, phase: "lobby" }, fighters: [], graves: [] },
      player: { score: 0 }
    }
    expect(await ann.plays("shares", "up")).toEqual(anew)
    const saveId = Object(saves.body)[0].saveId
    const restored = { method: "POST", body: { saveId } }
    expect(await ann.plays("shares", "slept")).toEqual(anew)
    expect(await project.ask("/rooms/slept/restore", restored)).toMatchObject({
      status: 404,
      body: { error: { code: "E_SAVE_NOT_FOUND" } }
    })
  })
})
