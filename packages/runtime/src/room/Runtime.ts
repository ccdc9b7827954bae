import { BundleLimits } from "@atrium/wire/deployments/BundleLimits"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import { type OrderSink, readOrder } from "../host/HostOrders.ts"
import { Reports } from "../host/RoomReports.ts"
import type { RuntimePort } from "../host/RuntimePort.ts"
import { answerMigrate } from "../migrations/AnswerMigrate.ts"
import { describeMigrations } from "../migrations/DescribeMigrations.ts"
import { isRoomDefinition, type RoomDefinition } from "./DefineRoom.ts"
import { failRoom } from "./FailRoom.ts"
import { LiveRoom } from "./LiveRoom.ts"
import { rehearse } from "./Rehearsal.ts"
import {
  type BundleDescriptor,
  isRoomSchema,
  relayTypeOf,
  type RoomTypeDescriptor,
  roomTypeOf
} from "./RoomTypes.ts"

/** Takes the frames that follow `load`. */
export type ReceiveFrame = (kind: number, payload: Uint8Array) => void

/**
 * Runs a bundle inside a room process: describes its room types, or waits for the order to start
 * one. `boot` calls it with the bundle's own exports.
 *
 * @param rooms all that the developer's module exports
 */
export const connect = (
  port: RuntimePort,
  rooms: Readonly<Record<string, unknown>>
): ReceiveFrame => {
  if (port.mode === "describe") {
    const describe = (): void => {
      const { relay, types } = describeRooms(rooms)
      const migrations = relay ? [] : describeMigrations(rooms)
      port.send(Reports.described(JSON.stringify(descriptionOf({ relay, types, migrations }))))
    }
    // A bundle without physics is described at once: nothing of it may run in between.
    attempt(port, () => {
      const made = enginesReady(definitionsOf(rooms).values())
      if (made === null) describe()
      else
        made.then(
          () => attempt(port, describe),
          (error: unknown) => failRoom(port, error)
        )
    })
    return () => {}
  }
  return runRoom(port, rooms)
}

/** Resolves when the physics libraries of these rooms can be used; `null` = there are none. */
const enginesReady = (definitions: Iterable<RoomDefinition>): Promise<unknown> | null => {
  const engines = [...definitions].flatMap(({ handlers }) => handlers.physics ?? [])
  return engines.length === 0 ? null : Promise.all(engines.map((engine) => engine.ready()))
}

/** Rooms with code are a list, as services have always read it. One that knows no hidden state must not take it. */
const descriptionOf = ({ relay, types, migrations = [] }: BundleDescriptor): unknown => {
  if (relay) return { relay, types }
  const told = types.some(({ hidden }) => hidden !== undefined) ? { withHidden: types } : { types }
  if (migrations.length > 0) return { relay, ...told, migrations }
  return "types" in told ? types : told
}

/** Errors: `Error` that says what is wrong with the exports. */
const describeRooms = (rooms: Readonly<Record<string, unknown>>): BundleDescriptor => {
  const definitions = [...definitionsOf(rooms).values()]
  const relay = definitions.length === 0
  const types = relay
    ? [...schemasOf(rooms).values()].map(relayTypeOf)
    : definitions.map(describedRoom)
  if (types.length === 0) {
    throw new Error("no room is exported: export what defineRoom or defineSchema returns")
  }
  if (types.length > BundleLimits.roomTypes.max) {
    throw new Error(`${types.length} room types are over ${BundleLimits.roomTypes.max}`)
  }
  return { relay, types }
}

/** A process that runs a room without physics must not pay for the library of another type. */
const warmEngines = (definitions: ReadonlyArray<RoomDefinition>): void => {
  if (!definitions.every(({ handlers }) => handlers.physics !== undefined)) return
  // The start of the room says what is wrong with a library.
  enginesReady(definitions)?.catch(() => {})
}

const describedRoom = ({ schema, stored, handlers }: RoomDefinition): RoomTypeDescriptor => {
  const { physics, ...type } = roomTypeOf(schema, stored)
  const told = handlers.sharing === true ? { ...type, sharing: true as const } : type
  if (physics === undefined || handlers.physics === undefined) return told
  return { ...told, physics: { ...physics, engine: handlers.physics.name() } }
}

const schemasOf = (
  rooms: Readonly<Record<string, unknown>>
): ReadonlyMap<string, AnyRoomSchema> => {
  const byType = new Map<string, AnyRoomSchema>()
  for (const value of Object.values(rooms)) {
    if (!isRoomSchema(value)) continue
    const { type } = value
    if ((byType.get(type) ?? value) !== value)
      throw new Error(`${type}: two schemas are of this type`)
    byType.set(type, value)
  }
  return byType
}

const definitionsOf = (
  rooms: Readonly<Record<string, unknown>>
): ReadonlyMap<string, RoomDefinition> => {
  const byType = new Map<string, RoomDefinition>()
  for (const value of Object.values(rooms)) {
    if (!isRoomDefinition(value)) continue
    const { type } = value.schema
    // One room may be exported twice, for example as the default too.
    if ((byType.get(type) ?? value) !== value)
      throw new Error(`${type}: two rooms are of this type`)
    byType.set(type, value)
  }
  return byType
}

const runRoom = (port: RuntimePort, rooms: Readonly<Record<string, unknown>>): ReceiveFrame => {
  let live: LiveRoom | null = null
  const started = (): LiveRoom => {
    if (live === null) throw new Error("an order came before the start")
    return live
  }
  let rehearsed = false
  /** Orders that came while the physics library was made ready; `null` = they are taken at once. */
  let early: Array<readonly [kind: number, payload: Uint8Array]> | null = null
  const waits = (): void => {
    if (live !== null || rehearsed) return
    rehearsed = true
    try {
      const definitions = definitionsOf(rooms)
      warmEngines([...definitions.values()])
      for (const definition of definitions.values()) return rehearse(port, definition)
    } catch {
      // The start says what is wrong with it.
    }
  }
  const sink: OrderSink = {
    start: (order) =>
      attempt(port, () => {
        const definition = definitionsOf(rooms).get(order.type)
        if (definition === undefined) throw new Error(`${order.type}: the bundle has no such room`)
        const askedAtMs = port.nowMs()
        const begin = (): void => {
          // The order says what the clock showed when it came.
          const lateMs = order.clockRuns ? port.nowMs() - askedAtMs : 0
          live = LiveRoom.start(port, definition, { ...order, nowMs: order.nowMs + lateMs })
        }
        const made = enginesReady([definition])
        if (made === null) return begin()
        early = []
        made.then(
          () =>
            attempt(port, () => {
              // A library leaves twice its size as garbage, which would look like memory of the room.
              port.liveBytes()
              begin()
              const frames = early ?? []
              early = null
              for (const [kind, payload] of frames) readOrder(kind, payload, sink)
            }),
          (error: unknown) => failRoom(port, error)
        )
      }),
    join: (order) => started().join(order),
    data: (ref, frame) => started().data(ref, frame),
    drop: (ref) => started().drop(ref),
    leave: (ref) => started().leave(ref),
    takeSnapshot: (...order) => started().takeSnapshot(...order),
    saved: (saveId, stored, wall) => started().saved(saveId, stored, wall),
    clock: (nowMs, runs) => started().clock(nowMs, runs),
    ping: (number) => {
      if (live !== null) return live.ping(number)
      // Code that has been loaded ahead of its room answers too, and has time from here on.
      port.send(Reports.pong(number, null))
      port.afterTurn(waits)
    },
    weigh: (number) => started().weigh(number),
    callAnswered: (callId, answer) => started().callAnswered(callId, answer),
    takeChunk: (requestId, wanted) => started().takeChunk(requestId, wanted),
    makeClip: (requestId, options) => started().makeClip(requestId, options),
    recordingEnded: (replayId, why) => started().recordingEnded(replayId, why),
    ringBytes: (bytes) => started().ringBytes(bytes),
    migrate: (order) => port.send(answerMigrate(rooms, order))
  }
  return (kind, payload) => {
    if (early === null) readOrder(kind, payload, sink)
    else early.push([kind, payload])
  }
}

const attempt = (port: RuntimePort, run: () => void): void => {
  try {
    run()
  } catch (error) {
    failRoom(port, error)
  }
}
