import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { HostFrameError, LoadMode } from "@atrium/runtime/host/HostFrames"
import { readReport, type ReportSink } from "@atrium/runtime/host/RoomReports"
import type { MigrationDescriptor } from "@atrium/runtime/migrations/DescribeMigrations"
import {
  type BundleDescriptor,
  relayTypeOf,
  type RoomTypeDescriptor,
  roomTypeOf
} from "@atrium/runtime/room/RoomTypes"
import { BundleLimits } from "@atrium/wire/deployments/BundleLimits"
import { describe } from "@atrium/wire/schema/Describe"
import { fromDescriptor } from "@atrium/wire/schema/FromDescriptor"
import { storedDescriptor } from "@atrium/wire/schema/HiddenState"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"
import { cutLogLine } from "@atrium/wire/text/LogLine"

import { causeOf, type ProcessEnd } from "./ExitCause.ts"
import { FrameMeter } from "./FrameMeter.ts"
import { prepareBundle } from "./PreparedBundle.ts"
import type { Child, ChildOwner } from "./RoomChild.ts"
import { firstPlace } from "./stacks/StackText.ts"

/** The room types of a bundle, or why there are none. */
export type Description =
  | ({ readonly ok: true } & BundleDescriptor)
  /** `bundle`: a text for its developer. `machine`: one for the operator; the bundle may be good. */
  | { readonly ok: false; readonly fault: "bundle" | "machine"; readonly message: string }

/** The means by which a bundle is described. */
export interface Describer {
  /** Makes the process, for this owner. */
  readonly spawn: (owner: ChildOwner) => Child
  /** Puts sources into a stack of the bundle; never rejects. */
  readonly mapStack: (stack: string) => string | Promise<string>
}

/**
 * Loads a bundle in a process of its own and asks for its room types. Never rejects.
 *
 * @param waitMs longest wait, `RoomProcessLimits.roomDescribe` outside of tests
 */
export const describeBundle = (
  { spawn, mapStack }: Describer,
  bundle: Uint8Array,
  waitMs: number
): Promise<Description> =>
  new Promise((resolve) => {
    let answer: Description | Promise<Description> | null = null
    const finish = (description: Description | Promise<Description>): void => {
      answer ??= description
      child.kill()
    }
    const refuse = (message: string): void => finish({ ok: false, fault: "bundle", message })
    const sink = describeSink(mapStack, finish)
    // Never refilled: a bundle says a line or two, and its room types.
    const meter = new FrameMeter()
    const child = spawn({
      frame: (kind, payload) => {
        if (meter.frame() !== null) return refuse("the bundle sends too much")
        try {
          if (answer === null) readReport(kind, payload, sink)
        } catch (error) {
          if (!(error instanceof HostFrameError)) throw error
          refuse(`the bundle broke the protocol: ${error.message}`)
        }
      },
      lengthMax: () => RoomProcessLimits.roomUnaskedBytes.max,
      came: (bytes) => {
        if (meter.came(bytes) !== null) refuse("the bundle sends too much")
      },
      line: () => {},
      broken: (why) => refuse(`the bundle broke the protocol: ${why}`),
      // The bundle is all that it is sent, and its time is short.
      unread: () => {},
      ended: (end) => {
        clearTimeout(timer)
        // Resolved here: then nothing of the process is left behind.
        resolve(answer ?? endedEarly(end))
      }
    })
    const timer = setTimeout(() => refuse(`loading took more than ${waitMs} ms`), waitMs)
    child.send(prepareBundle(bundle).loadFrame(LoadMode.describe))
  })

const endedEarly = (end: ProcessEnd): Description => {
  const { cause, detail } = causeOf(end)
  switch (cause) {
    case "notStarted":
      return { ok: false, fault: "machine", message: `no process for the bundle: ${detail}` }
    case "memory":
      return { ok: false, fault: "bundle", message: `loading took too much memory: ${detail}` }
    default: {
      const message = `the process ended while it loaded the bundle: ${detail}`
      return { ok: false, fault: cause === "killed" ? "machine" : "bundle", message }
    }
  }
}

const describeSink = (
  mapStack: Describer["mapStack"],
  finish: (description: Description | Promise<Description>) => void
): ReportSink => {
  const refuse = (message: string): void => finish({ ok: false, fault: "bundle", message })
  const unexpected = (): void => refuse("the bundle broke the protocol: it reports without a room")
  return {
    booted: () => {},
    log: () => {},
    described: (json) => {
      try {
        finish({ ok: true, ...descriptorIn(json) })
      } catch (error) {
        refuse(error instanceof Error ? error.message : String(error))
      }
    },
    failed: (why, stack) => finish(failure(why, mapStack(cutLogLine(stack)))),
    ready: unexpected,
    joined: unexpected,
    refused: unexpected,
    deliver: unexpected,
    kick: unexpected,
    changed: unexpected,
    saveRequested: unexpected,
    called: unexpected,
    callFailed: unexpected,
    snapshot: unexpected,
    snapshotTooLarge: unexpected,
    alarms: unexpected,
    lobby: unexpected,
    voice: unexpected,
    player: unexpected,
    chunk: unexpected,
    chunkReady: unexpected,
    recordingLost: unexpected,
    clipMade: unexpected,
    pong: unexpected,
    weighed: unexpected,
    migrated: unexpected,
    migrateFailed: unexpected
  }
}

/** The first place of the stack that room code threw, and what it threw. */
const failure = async (why: string, mapped: string | Promise<string>): Promise<Description> => {
  const place = firstPlace(await mapped)
  return { ok: false, fault: "bundle", message: place === null ? why : `${place} ${why}` }
}

/** The name and the version of a library, such as `rapier3d 0.21.0`. It is stored, and shown in terminals. */
const EngineName = /^[\w.+@/ -]+$/

/** The schema of all that rooms store, of the hidden shapes that the process tells. */
const storedIn = (entry: unknown, known: AnyRoomSchema): AnyRoomSchema => {
  const hidden: unknown = Object(entry).hidden
  if (hidden === undefined) return known
  const { singletons, entities } = Object(hidden)
  if (!Array.isArray(singletons) || !Array.isArray(entities)) {
    throw new Error("the bundle described no hidden shapes")
  }
  if (singletons.length + entities.length === 0) return known
  return fromDescriptor(storedDescriptor(describe(known), { singletons, entities }))
}

/**
 * The process is believed its schemas, the name of the physics library, and whether rooms share a process. Everything else
 * of a type follows from its schema. Rooms are relay rooms where it says `relay: true`, and have code otherwise.
 */
const descriptorIn = (json: string): BundleDescriptor => {
  if (json.length > BundleLimits.descriptorBytes.max) {
    throw new Error(
      `the schemas have ${json.length} bytes, over ${BundleLimits.descriptorBytes.max}`
    )
  }
  const said: unknown = JSON.parse(json)
  const list: unknown = Array.isArray(said) ? said : (Object(said).types ?? Object(said).withHidden)
  const relay = !Array.isArray(said) && Object(said).relay === true
  if (!Array.isArray(list)) throw new Error("the bundle described no list of rooms")
  if (list.length > BundleLimits.roomTypes.max)
    throw new Error(`${list.length} room types are too many`)
  const types = list.map((entry: unknown) => {
    const schema: unknown =
      typeof entry === "object" && entry !== null && "schema" in entry ? entry.schema : null
    const known = fromDescriptor(schema)
    if (relay) return relayTypeOf(known)
    return withSharing(withEngine(roomTypeOf(known, storedIn(entry, known)), entry), entry)
  })
  if (new Set(types.map(({ type }) => type)).size < types.length) {
    throw new Error("two rooms are of one type")
  }
  const queues = types.flatMap(({ queue }) => queue ?? [])
  const twice = queues.find((queue, place) => queues.indexOf(queue) < place)
  if (twice !== undefined) throw new Error(`two room types name the queue ${twice}`)
  const migrations = relay ? [] : migrationsIn(Object(said).migrations ?? [])
  return migrations.length === 0 ? { relay, types } : { relay, types, migrations }
}

/**
 * Takes the library's name from the process, which alone knows it. A malformed name is dropped: the deploy then reports no
 * new worlds.
 */
const withEngine = (type: RoomTypeDescriptor, entry: unknown): RoomTypeDescriptor => {
  const engine: unknown = Object(Object(entry).physics).engine
  if (type.physics === undefined || !isEngineName(engine)) return type
  return { ...type, physics: { ...type.physics, engine } }
}

/** `defineRoom` refuses what may not share; a process that says so all the same is not believed. Source: C-970. */
const withSharing = (type: RoomTypeDescriptor, entry: unknown): RoomTypeDescriptor =>
  Object(entry).sharing === true && type.class === "standard" && type.physics === undefined
    ? { ...type, sharing: true }
    : type

const isEngineName = (said: unknown): said is string =>
  typeof said === "string" && said.length <= BundleLimits.engineName.max && EngineName.test(said)

/** Nobody vouches for them: a migration that is not there fails when it is to run. */
const migrationsIn = (said: unknown): ReadonlyArray<MigrationDescriptor> => {
  if (!Array.isArray(said)) throw new Error("the bundle described no list of migrations")
  const { max } = BundleLimits.migrations
  if (said.length > max) throw new Error(`${said.length} changes by migrations are over ${max}`)
  return said.map((entry: unknown) => {
    const { type, from, to, code, back } = Object(entry)
    const isNamed = (value: unknown) => value === null || isStorable(value)
    if (!isNamed(type) || !isNamed(to) || !isStorable(from)) {
      throw new Error("the bundle described a malformed migration")
    }
    return { type, from, to, code: code === true, back: back === true }
  })
}

/** Whether PostgreSQL takes it in jsonb. */
const isStorable = (value: unknown): boolean =>
  typeof value === "string" && value.isWellFormed() && !value.includes("\0")
