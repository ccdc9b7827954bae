import type { Chance } from "@atrium/api/testing/Chance"
import { ProjectId } from "@atrium/domain/shared/Ids"
import type { RoomClass } from "@atrium/wire/rooms/RoomClass"

import { queueOf } from "./GameProjects.ts"
import { carriedBy, declaredSchema, type PlayedStorage } from "./PlayedSchemas.ts"

/** Room types of every project; which class each has, a deployment may change. */
export const typeNames = ["duel", "arena", "land"] as const
const classes: ReadonlyArray<RoomClass> = ["standard", "large", "xlarge"]
const retentions = [null, "30m", "2h", "30d"] as const

/** The projects that a world may have. */
export const projectIds = {
  free: ProjectId.make("p_000000000000f4ee"),
  card: ProjectId.make("p_000000000000ca4d"),
  /** Its rooms run no code. */
  relay: ProjectId.make("p_0000000000004e1a")
} as const

export const isRelayRoom = (room: string): boolean => room.startsWith(`${projectIds.relay}/`)

/** The room types that a version of a project's code declares. */
export interface PlayedBundle {
  readonly types: ReadonlyArray<{
    readonly type: string
    readonly class: RoomClass
    readonly retention: string | null
  }>
  readonly relay: boolean
  /** Its rooms fail at their start. */
  readonly broken: boolean
  /** Of every bundle its own: equal bytes make no new version. */
  readonly number: number
  /** The schema and the migrations of its rooms; absent = all bundles of the world store the same. */
  readonly stores?: PlayedStorage
  /** Its rooms record themselves; absent = they do not. */
  readonly films?: boolean
}

export const bytesOfBundle = (bundle: PlayedBundle): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(bundle))

export const bundleIn = (bytes: Uint8Array): PlayedBundle =>
  // Only this file writes them.
  JSON.parse(new TextDecoder().decode(bytes)) as PlayedBundle

/** The next version of a project: the same types, perhaps of other classes, perhaps broken. */
export const bundleOf = (project: ProjectId, chance: Chance, number: number): PlayedBundle => {
  const same = chance.below(4)
  const types = typeNames.map((type, at) => ({
    type,
    class: (same < 3 ? classes[same] : classes[at]) ?? "standard",
    retention: chance.pick(retentions)
  }))
  return { types, relay: project === projectIds.relay, broken: chance.one(12), number }
}

const hibernateAfterMs = 30_000
const reconnectForMs = 3000

/** The schema of a world whose bundles all store the same. */
const plain = { hash: "0123456789abcdef", singletons: [] }

/** The description that a process which loads the bundle would report. */
export const described = ({ types, relay, stores, films }: PlayedBundle) => ({
  ok: true as const,
  relay,
  ...(stores && { migrations: carriedBy(stores, typeNames) }),
  types: types.map(({ type, class: roomClass, retention }) => {
    const declared = {
      type,
      class: roomClass,
      maxClients: 8,
      tickHz: 0,
      hibernateAfterMs,
      reconnectForMs,
      retention,
      ...(queueOf[type] === undefined ? {} : { queue: queueOf[type] }),
      ...(films === true && { replay: { seconds: 60, ttl: "1h" } })
    }
    const { hash, singletons } = stores === undefined ? plain : declaredSchema(stores.schema)
    const schema = {
      ...declared,
      format: 1 as const,
      project: null,
      singletons,
      entities: [],
      messages: [],
      rpc: { client: [], server: [] },
      player: []
    }
    return { ...declared, schemaHash: hash, schema }
  })
})
