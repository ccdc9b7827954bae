import type { ExitCause } from "@atrium/actors/process/ExitCause"
import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"

import type { HogName } from "./rooms/hogSchema.ts"

/** The expected end of a room that misuses the machine in one way. */
export interface HogCase {
  readonly name: HogName
  /** Causes that its end may have; `null` = it is not ended, as it harms nobody. */
  readonly ends: ReadonlyArray<ExitCause> | null
  /** It has ended that long after it began; one that is not ended is watched for so much longer. */
  readonly withinMs: number
  /** The bundle's source map is a bomb. */
  readonly bomb?: boolean
}

/** Time for a verdict on memory: a poll or two, the collection, and a busy machine. */
const MemoryMs = 4000
/** A room that does not answer is given that long on a busy machine, then as long as a ping takes to be due. */
const HungMs = RoomProcessLimits.roomBusyAnswer.ms + 3000

const memory = (name: HogName): HogCase => ({ name, ends: ["memory"], withinMs: MemoryMs })
const survives = (name: HogName): HogCase => ({ name, ends: null, withinMs: 0 })
const hung = (name: HogName): HogCase => ({ name, ends: ["hung"], withinMs: HungMs })
const flood = (name: HogName): HogCase => ({ name, ends: ["flood"], withinMs: HungMs })

/** The ways to take more than one's share that each run of the tests tries. */
export const HogCases: ReadonlyArray<HogCase> = [
  memory("arrayFill"),
  memory("jsonParse"),
  survives("typedArray"),
  memory("typedArrays"),
  memory("untouchedArrays"),
  survives("wasmOne"),
  memory("wasmBand"),
  memory("intl"),
  memory("timers"),
  survives("fds"),
  hung("loop"),
  hung("unfinished"),
  flood("frames"),
  flood("logs"),
  survives("slowLines"),
  // Its map is read until a bound is met.
  { name: "stacks", ends: null, withinMs: LogLimits.stackMap.ms, bomb: true },
  survives("saves"),
  flood("alarms"),
  flood("lobby"),
  flood("players")
]

/** Further ones, for the long run: ended as others are, by other code of the room. */
export const MoreHogCases: ReadonlyArray<HogCase> = [
  memory("mapGrowth"),
  memory("split"),
  memory("wasmMany"),
  memory("promises"),
  hung("sort"),
  hung("regex"),
  memory("bigEval"),
  memory("stringGrowth"),
  // It makes more than the service takes off it, and keeps the rest.
  { name: "bytes", ends: ["memory", "flood"], withinMs: MemoryMs }
]
