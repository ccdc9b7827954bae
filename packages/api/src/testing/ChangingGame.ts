import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

import { until } from "@atrium/domain/testing/Until"
import { bundleRooms } from "@atrium/sdk/bundle"
import { defineSchema, describe, s, schemaHash } from "@atrium/sdk/schema"
import { withHidden } from "@atrium/wire/schema/HiddenState"
import { playerHash, playerUnion } from "@atrium/wire/schema/PlayerUnion"

import { beginRehearsal, call, uploadBundle } from "./RunningService.ts"

const common = {
  type: "duel",
  hibernateAfterMs: 100,
  reconnectForMs: 0,
  messages: { say: s.untyped() },
  rpc: {
    client: {
      play: { args: s.untyped(), returns: s.untyped(), durable: true },
      read: { returns: s.untyped() },
      save: { returns: s.untyped() }
    }
  }
} as const

/** The schemas of a game that thinks better of them, by version. */
export const duels = {
  /** Hit points of 0 to 255. */
  points: defineSchema({
    ...common,
    singletons: { match: { round: s.u8(), phase: s.enum("lobby", "play") } },
    entities: {
      fighters: { name: s.string(16), hp: s.u8({ default: 100 }), foe: s.ref("fighters") }
    },
    player: { wins: s.u8() }
  }),
  /** Health as a share, and the wins count tenfold. */
  shares: defineSchema({
    ...common,
    singletons: { match: { round: s.u8(), phase: s.enum("lobby", "play") } },
    entities: {
      fighters: { name: s.string(16), health: s.f32(), foe: s.ref("fighters") },
      graves: { name: s.string(16) }
    },
    player: { score: s.u16() }
  }),
  /** Teams, and no more phases. */
  teams: defineSchema({
    ...common,
    singletons: { match: { round: s.u16(), label: s.string(8) } },
    entities: {
      fighters: { name: s.string(16), health: s.f32(), foe: s.ref("fighters"), team: s.u8() },
      graves: { name: s.string(16) }
    },
    player: { score: s.u16(), league: s.enum("wood", "gold") }
  })
} as const
export type DuelName = keyof typeof duels

/** Of `teams`: a deck that no client sees. */
const hidden = { singletons: { deck: { seed: s.u16() } } }
const hiddenSource = "hidden: { singletons: { deck: { seed: s.u16() } } },"

const sources: Readonly<Record<DuelName, string>> = {
  points: `
    singletons: { match: { round: s.u8(), phase: s.enum("lobby", "play") } },
    entities: { fighters: { name: s.string(16), hp: s.u8({ default: 100 }), foe: s.ref("fighters") } },
    player: { wins: s.u8() }`,
  shares: `
    singletons: { match: { round: s.u8(), phase: s.enum("lobby", "play") } },
    entities: {
      fighters: { name: s.string(16), health: s.f32(), foe: s.ref("fighters") },
      graves: { name: s.string(16) }
    },
    player: { score: s.u16() }`,
  teams: `
    singletons: { match: { round: s.u16(), label: s.string(8) } },
    entities: {
      fighters: { name: s.string(16), health: s.f32(), foe: s.ref("fighters"), team: s.u8() },
      graves: { name: s.string(16) }
    },
    player: { score: s.u16(), league: s.enum("wood", "gold") }`
}

/** The room code of a version; `play` sets what its arguments name. */
const roomSource = (name: DuelName): string => `
import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"

const schema = defineSchema({
  type: "duel",
  hibernateAfterMs: 100,
  reconnectForMs: 0,
  ${sources[name]},
  messages: { say: s.untyped() },
  rpc: {
    client: {
      play: { args: s.untyped(), returns: s.untyped(), durable: true },
      read: { returns: s.untyped() },
      save: { returns: s.untyped() }
    }
  }
})

export const duel = defineRoom(schema, {
  ${name === "teams" ? hiddenSource : ""}
  rpc: {
    play(room, client, { match = {}, add = [], remove = [], player = {} }) {
      Object.assign(room.state.match, match)
      for (const fighter of add) room.state.fighters.add(fighter)
      for (const id of remove) room.state.fighters.remove(id)
      Object.assign(client.player, player)
      return {}
    },
    read: (room, client) => ({
      version: room.version,
      state: JSON.parse(JSON.stringify(room.state)),
      player: { ...client.player },
      ${name === "teams" ? "...JSON.parse(JSON.stringify(room.hidden))" : ""}
    }),
    async save(room) {
      await room.save()
      return {}
    }
  }
})
`

/** Of all that rooms of the version store. */
const hashOf = (name: DuelName): string =>
  schemaHash(name === "teams" ? withHidden(duels.teams, hidden) : duels[name])
const playersOf = (name: DuelName): string => playerHash(playerUnion([describe(duels[name])]))

/** The code of a migration between two versions, without its schemas. */
export interface MigrationCode {
  readonly from: DuelName
  readonly to: DuelName
  readonly room: string
  readonly player?: string
}

const migrationSource = ({ from, to, room, player }: MigrationCode): string => `
import { defineMigration } from "@atrium/sdk/migration"

export default defineMigration({
  rooms: { duel: { from: "${hashOf(from)}", to: "${hashOf(to)}", ${room} } },
  ${
    player === undefined
      ? ""
      : `player: { from: "${playersOf(from)}", to: "${playersOf(to)}", ${player} }`
  }
})
`

/** A folder with the room of the game, and with its migrations. */
export const changingGame = async () => {
  const folder = await mkdtemp(join(tmpdir(), "atrium-changing-"))
  const modules = fileURLToPath(new URL("../../../../node_modules", import.meta.url))
  await symlink(modules, join(folder, "node_modules"))
  await mkdir(join(folder, "migrations"))
  const migrations = new Map<string, MigrationCode>()
  let builds = 0
  return {
    folder,
    migrations,
    /** The bundle of a version, with the migrations that there are now; no two are alike. */
    bundle: async (name: DuelName): Promise<Uint8Array> => {
      await writeFile(
        join(folder, "room.ts"),
        `${roomSource(name)}\nexport const build = ${++builds}\n`
      )
      for (const [file, code] of migrations) {
        await writeFile(join(folder, "migrations", file), migrationSource(code))
      }
      const files = [...migrations.keys()].map((file) => `migrations/${file}`)
      return (await bundleRooms({ entries: ["room.ts", ...files], resolveDir: folder })).bytes
    },
    remove: () => rm(folder, { recursive: true, force: true })
  }
}

/** A project of its own, and deploys of the game to it. The service may start again under another address. */
export const changingProject = async (
  game: Awaited<ReturnType<typeof changingGame>>,
  service: { readonly url: string; readonly token: string }
) => {
  const { token } = service
  const made = await call(service.url, "/v1/projects", { token, body: { name: "changing" } })
  const project = String(made.body["id"])
  return {
    project,
    deploy: async (name: DuelName, query = "") =>
      uploadBundle({ url: service.url, token, project }, await game.bundle(name), query),
    /** Begins to rehearse a bundle, and answers when the rehearsal is over. */
    rehearse: async (bundle: Uint8Array) => {
      const begun = await beginRehearsal({ url: service.url, token, project }, bundle)
      const path = `/v1/projects/${project}/rehearsals/${begun.body["rehearsalId"]}`
      return until("the rehearsal is over", async () => {
        const { body } = await call(service.url, path, { token })
        return body["state"] !== "running" && body
      })
    },
    ask: (path: string, request: { readonly body?: unknown; readonly method?: string } = {}) =>
      call(service.url, `/v1/projects/${project}${path}`, { token, ...request })
  }
}
