import type { HopOrder } from "@atrium/runtime/host/HostOrders"
import { ledOn } from "@atrium/runtime/migrations/AnswerMigrate"
import type { Migration } from "@atrium/runtime/migrations/DefineMigration"
import type { RoomDefinition } from "@atrium/runtime/room/DefineRoom"
import { breakingDifference } from "@atrium/wire/schema"
import { describe } from "@atrium/wire/schema/Describe"
import type { SchemaDescriptor } from "@atrium/wire/schema/Descriptor"
import { playerUnion } from "@atrium/wire/schema/PlayerUnion"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"
import { schemaHash } from "@atrium/wire/schema/SchemaHash"

/** The way of a room to its next version. Both schemas are those of all that is stored. */
interface Way {
  readonly from: AnyRoomSchema
  readonly to: AnyRoomSchema
  /** `null` = the next version reads what is stored as it is. */
  readonly migration: Migration | null
}

/** The stored state of a room, and the schema that it was written with. */
export interface StoredRoom {
  readonly bytes: Uint8Array
  readonly schema: SchemaDescriptor
}

/** What a harness has stored. */
interface Stored {
  readonly room: StoredRoom | null
  readonly players: ReadonlyMap<string, Uint8Array>
}

/** The schema of all that a room stores, hidden state among it. */
export const storedSchemaOf = ({
  schema,
  stored = schema
}: Pick<RoomDefinition, "schema" | "stored">): AnyRoomSchema => stored

/**
 * Leads a room and its players on, as a service does at a deploy.
 *
 * Throws an `Error` where neither the migration nor the schemas lead from one version to the next, and what the migration
 * throws.
 */
export const ledByHarness = (way: Way, { room, players }: Stored): Stored => {
  const states = roomHop(way)
  const fields = playersHop(way)
  if (states === null) demandCompatible(way)
  const hops = [states, fields].filter((hop) => hop !== null)
  // The name before the sign is the file, which errors name.
  const exported = { "migration#": way.migration }
  const led = ({ bytes, schema }: StoredRoom): StoredRoom => ({
    bytes: ledOn(exported, { stored: schema, hops, bytes }),
    schema: states === null ? schema : describe(way.to)
  })
  return {
    room: room === null ? null : led(room),
    players: new Map(
      [...players].map(([playerId, bytes]) => [
        playerId,
        fields === null ? bytes : ledOn(exported, { stored: null, hops: [fields], bytes })
      ])
    )
  }
}

const roomHop = ({ from, to, migration }: Way): HopOrder | null => {
  const room = migration?.rooms?.[to.type]
  if (room === undefined) return null
  if ("removed" in room) throw new Error(`migrate: the migration removes ${to.type}`)
  const [older, newer] = [named(from), named(to)]
  if (room.from === older.hash && room.to === newer.hash) {
    return { _tag: "Room", type: to.type, from: older, to: newer, back: false }
  }
  throw new Error(
    `migrate: the migration goes from ${room.from} to ${room.to}, and the room from ${older.hash} to ${newer.hash}`
  )
}

const named = (schema: AnyRoomSchema) => ({ hash: schemaHash(schema), schema: describe(schema) })

/** The fields of this room type alone: a harness knows no other one of the project. */
const playersHop = ({ from, to, migration }: Way): HopOrder | null => {
  const player = migration?.player
  if (player === undefined) return null
  return {
    _tag: "Players",
    from: { hash: player.from, fields: playerUnion([describe(from)]) },
    to: { hash: player.to, fields: playerUnion([describe(to)]) },
    back: false
  }
}

const demandCompatible = ({ from, to }: Way): void => {
  const difference = breakingDifference(from, to)
  if (difference !== null) throw new Error(`migrate: no migration over ${difference}`)
}
