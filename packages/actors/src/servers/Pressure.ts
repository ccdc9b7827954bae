import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { MiB } from "@atrium/wire/limits/Limit"
import { Data } from "effect"

/** How much is left of something: enough, little, or too little. In between nothing changes. */
export type Level = "calm" | "between" | "near"

/** A room that runs, and the memory that it has taken. */
export interface RoomMemory {
  readonly roomId: string
  readonly epoch: number
  readonly bytes: number
  /** It has clients. */
  readonly occupied: boolean
  /** How much its footage may take; `null` = it keeps none. */
  readonly ring: RingSize | null
}

/** A server near its memory limit has the footage of its rooms take less. */
export type RingSize = "full" | "shrunk"

/** The result of a look at the memory of a server's rooms and of its machine. */
export interface Sample {
  readonly nowMs: number
  readonly rooms: ReadonlyArray<RoomMemory>
  readonly machine: Level
  /** The machine's largest room is here, and none of its rooms is empty. */
  readonly yields: boolean
}

interface Held {
  readonly roomId: string
  readonly epoch: number
}

/** Whether a server is near its memory limit. Spec: Room budget per server. */
export type Pressure = Data.TaggedEnum<{
  Calm: { readonly restartedAtMs: number | null }
  /** It takes rooms; the footage of those that it has was shrunk, which may be enough. */
  Shrunk: { readonly restartedAtMs: number | null; readonly atMs: number }
  /** It takes no new room. `asleep` = the empty room that was told to sleep last. */
  Near: {
    readonly restartedAtMs: number | null
    readonly asleep: (Held & { readonly toldAtMs: number }) | null
  }
}>
const Pressure = Data.taggedEnum<Pressure>()

export const calm: Pressure = Pressure.Calm({ restartedAtMs: null })

/** A step that brings memory back. */
export interface Relief {
  readonly what: "sleep" | "restart"
  readonly room: Held
}

/** The rooms whose footage is to take less, or may take more again. */
export const ringsToResize = (
  pressure: Pressure,
  rooms: ReadonlyArray<RoomMemory>
): ReadonlyArray<Held & { readonly ring: RingSize }> => {
  const ring: RingSize = pressure._tag === "Calm" ? "full" : "shrunk"
  return rooms
    .filter((room) => room.ring !== null && room.ring !== ring)
    .map(({ roomId, epoch }) => ({ roomId, epoch, ring }))
}

/**
 * Footage shrinks first. Then one room at a time: an empty one sleeps, the largest first; when none is left, the largest is
 * restarted, seldom enough that the figure can fall and that no room is closed by it. What others on
 * the machine have taken is made up for by one server, its largest room's.
 *
 * @param sample its rooms are those that the server holds
 */
export const relieve = (
  before: Pressure,
  sample: Sample,
  roomsMib: number
): readonly [Pressure, Relief | null] => {
  const own = ownLevel(sample.rooms, roomsMib)
  if (!isNear(before, own, sample.machine)) {
    const isCalm = own === "calm" && sample.machine === "calm"
    if (before._tag === "Calm" || (before._tag === "Shrunk" && !isCalm)) return [before, null]
    return [Pressure.Calm({ restartedAtMs: before.restartedAtMs }), null]
  }
  const shrunk = whileShrunk(before, sample)
  if (shrunk !== null) return [shrunk, null]
  const near = before._tag === "Near" ? before : begun(before)
  const empty = largest(sample.rooms.filter(({ occupied }) => !occupied))
  if (empty !== null) return putToSleep(near, empty, sample)
  return own === "near" || sample.yields ? restartLargest(near, sample) : [near, null]
}

/** How much is left of the memory for a server's rooms. */
export const ownLevel = (rooms: ReadonlyArray<RoomMemory>, roomsMib: number): Level => {
  const bytes = rooms.reduce((sum, room) => sum + room.bytes, 0)
  const percent = (bytes * 100) / (roomsMib * MiB)
  // A server that holds nothing is calm, also before it was told its size.
  if (rooms.length === 0 || percent <= ServerLimits.memoryCalm.max) return "calm"
  return percent >= ServerLimits.memoryNear.max ? "near" : "between"
}

/** How much is left of a machine's memory; `null` = nobody can tell, and it does not count. */
export const machineLevel = (
  machine: { readonly totalBytes: number; readonly availableBytes: number } | null
): Level => {
  if (machine === null) return "calm"
  const share = (machine.totalBytes * ServerLimits.machineNearPercent.max) / 100
  const nearBytes = Math.min(ServerLimits.machineNear.max, share)
  if (machine.availableBytes < nearBytes) return "near"
  return machine.availableBytes * 100 >= nearBytes * ServerLimits.machineCalm.max
    ? "calm"
    : "between"
}

/** It stays near until both are calm. */
const isNear = (before: Pressure, own: Level, machine: Level): boolean =>
  own === "near" ||
  machine === "near" ||
  (before._tag === "Near" && (own !== "calm" || machine !== "calm"))

/** `null` = there is no footage that could give its memory back. */
const whileShrunk = (before: Pressure, { rooms, nowMs }: Sample): Pressure | null => {
  const { restartedAtMs } = before
  switch (before._tag) {
    case "Calm":
      return rooms.some(({ ring }) => ring === "full")
        ? Pressure.Shrunk({ restartedAtMs, atMs: nowMs })
        : null
    case "Shrunk":
      return nowMs - before.atMs < ServerLimits.memoryShrink.ms ? before : null
    case "Near":
      return null
  }
}

type Near = Extract<Pressure, { readonly _tag: "Near" }>

const begun = ({ restartedAtMs }: Pressure): Near => ({
  _tag: "Near",
  restartedAtMs,
  asleep: null
})

const putToSleep = (
  near: Near,
  empty: RoomMemory,
  { rooms, nowMs }: Sample
): readonly [Pressure, Relief | null] => {
  const { asleep } = near
  // It may take a moment; one that was told and has a client by now, or is gone, keeps nobody.
  const waits =
    asleep !== null &&
    nowMs - asleep.toldAtMs < ServiceLimits.drain.ms &&
    rooms.some((room) => isSame(room, asleep) && !room.occupied)
  if (waits) return [near, null]
  const room = { roomId: empty.roomId, epoch: empty.epoch }
  return [
    { ...near, asleep: { ...room, toldAtMs: nowMs } },
    { what: "sleep", room }
  ]
}

const restartLargest = (
  near: Near,
  { rooms, nowMs }: Sample
): readonly [Pressure, Relief | null] => {
  const found = largest(rooms)
  const { restartedAtMs } = near
  const early = restartedAtMs !== null && nowMs - restartedAtMs < ServerLimits.memoryRestartEvery.ms
  if (found === null || early || found.bytes < ServerLimits.memoryRestartBytes.max)
    return [near, null]
  const { roomId, epoch } = found
  return [
    { ...near, restartedAtMs: nowMs },
    { what: "restart", room: { roomId, epoch } }
  ]
}

const isSame = (one: Held, other: Held): boolean =>
  one.roomId === other.roomId && one.epoch === other.epoch

/** The first of those that hold the most. */
const largest = (rooms: ReadonlyArray<RoomMemory>): RoomMemory | null =>
  rooms.reduce<RoomMemory | null>(
    (found, room) => (found === null || room.bytes > found.bytes ? room : found),
    null
  )
