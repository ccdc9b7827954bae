import { migrateState } from "@atrium/wire/codec/MigrateState"
import { migratePlayer } from "@atrium/wire/codec/PlayerCodec"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import type { SchemaDescriptor } from "@atrium/wire/schema/Descriptor"
import { playerUnionFields } from "@atrium/wire/schema/PlayerUnion"
import { cutLogLine } from "@atrium/wire/text/LogLine"

import type { HopOrder, MigrateOrder } from "../host/HostOrders.ts"
import { Reports } from "../host/RoomReports.ts"
import { isPromise, messageOf, stackOf } from "../room/ErrorText.ts"
import { decodeSnapshotFile, encodeSnapshotFile } from "../room/SnapshotFile.ts"
import type { Migration } from "./DefineMigration.ts"
import { fileOf, migrationsIn } from "./DescribeMigrations.ts"
import { purely } from "./Purely.ts"

type Change = (old: object) => unknown
type RoomHop = Extract<HopOrder, { readonly _tag: "Room" }>
type PlayersHop = Extract<HopOrder, { readonly _tag: "Players" }>

/** Leads something stored on. Throws what a migration throws, and an `Error` for a state that is too large. */
export const ledOn = (
  exported: Readonly<Record<string, unknown>>,
  order: Omit<MigrateOrder, "requestId">
): Uint8Array => {
  const migrations = [...migrationsIn(exported)]
  const bytes =
    order.stored === null
      ? playerLed(migrations, order)
      : roomLed(migrations, { ...order, stored: order.stored })
  const { max } = RuntimeLimits.snapshotBytes
  if (bytes.length > max) throw new Error(`the state has ${bytes.length} bytes, over ${max}`)
  return bytes
}

/** The frame that answers an order to lead something stored on. Never throws. */
export const answerMigrate = (
  exported: Readonly<Record<string, unknown>>,
  order: MigrateOrder
): Uint8Array => {
  const { requestId } = order
  try {
    return Reports.migrated(requestId, ledOn(exported, order))
  } catch (error) {
    return Reports.migrateFailed(requestId, cut(messageOf(error)), cut(stackOf(error)))
  }
}

type Named = readonly [name: string, migration: Migration]

interface RoomOrder extends Pick<MigrateOrder, "hops" | "bytes"> {
  readonly stored: SchemaDescriptor
}

const roomLed = (
  migrations: ReadonlyArray<Named>,
  { stored, hops, bytes }: RoomOrder
): Uint8Array => {
  const file = decodeSnapshotFile(bytes)
  let { state, sessions } = file
  let schema = stored
  for (const hop of hops) {
    if (hop._tag === "Players") {
      const lead = playersChange(migrations, hop)
      sessions = sessions.map((session) => ({ ...session, player: lead(session.player) }))
      continue
    }
    const { from, to } = hop
    const change = roomChange(migrations, hop)
    state = migrateState(state, { stored: schema, from: from.schema, to: to.schema, change })
    schema = to.schema
  }
  const { layout, ...rest } = file
  // After a migration by code the service names the schema, and the snapshot carries no layout.
  const isChanged = hops.some(({ _tag }) => _tag === "Room")
  const named = isChanged || layout === undefined ? {} : { layout }
  return encodeSnapshotFile({ ...rest, ...named, state, sessions })
}

const playerLed = (
  migrations: ReadonlyArray<Named>,
  { hops, bytes }: Pick<MigrateOrder, "hops" | "bytes">
): Uint8Array => {
  let fields = bytes
  for (const hop of hops) {
    if (hop._tag === "Players") fields = playersChange(migrations, hop)(fields)
  }
  return fields
}

const playersChange = (migrations: ReadonlyArray<Named>, hop: PlayersHop) => {
  const [from, to] = [playerUnionFields(hop.from.fields), playerUnionFields(hop.to.fields)]
  const change = changeOf(migrations, hop, ({ player }) => player)
  // A session of a player who was never stored holds no fields at all.
  return (bytes: Uint8Array): Uint8Array =>
    bytes.length === 0 ? bytes : migratePlayer(bytes, { from, to, change })
}

const roomChange = (migrations: ReadonlyArray<Named>, hop: RoomHop): Change =>
  changeOf(migrations, hop, ({ rooms }) => {
    const room = rooms?.[hop.type]
    return room === undefined || "removed" in room ? undefined : room
  })

/** The function that goes a hop, and names its file when it fails. */
const changeOf = (
  migrations: ReadonlyArray<Named>,
  hop: HopOrder,
  partOf: (migration: Migration) => PartOf | undefined
): Change => {
  const [older, newer] = hop.back ? [hop.to, hop.from] : [hop.from, hop.to]
  for (const [name, migration] of migrations) {
    const part = partOf(migration)
    if (part?.from !== older.hash || part.to !== newer.hash) continue
    const run = hop.back ? part.back : part.migrate
    if (run === undefined) continue
    // Its parameter is `never`, as each migration has types of its own; they are not there any more.
    const called = run as Change
    return (old) =>
      demandState(
        fileOf(name),
        purely(() => called(old))
      )
  }
  throw new Error(`the bundle has no migration from ${hop.from.hash} to ${hop.to.hash}`)
}

interface PartOf {
  readonly from: string
  readonly to: string
  readonly migrate?: (old: never) => object
  readonly back?: (now: never) => object
}

const demandState = (file: string, result: unknown): unknown => {
  if (isPromise(result)) throw new Error(`${file}: a migration must not be async`)
  return result
}

const cut = (text: string): string => cutLogLine(text).toWellFormed()
