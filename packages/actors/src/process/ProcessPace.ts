import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"

import type { GroupPace } from "./groups/GroupMachine.ts"

/** Time between two looks at a room process: its memory, its answers. */
export const PollEveryMs = 100
const PingEveryMs = 1000
/** The same for a room in which nothing happens. */
export const RestPingEveryMs = 5 * PingEveryMs

/** Spans of the look at its memory, in polls. */
export interface MemoryPace {
  /** A room has this long to answer a weighing. */
  readonly answerPolls: number
  /** The same while it waits for a CPU. */
  readonly busyAnswerPolls: number
  /** It is left alone this long after one. */
  readonly restPolls: number
  /** A room with physics is left alone this long from its start on. */
  readonly startRestPolls: number
  /** Where nothing can be measured it is weighed as often as this. */
  readonly blindPolls: number
}

/**
 * Spans of a room process in polls. Polls and not times: a service that was itself held up must not
 * take the answers that it could not read for answers that never came.
 */
export interface ProcessPace {
  readonly pingPolls: number
  readonly restPingPolls: number
  readonly answerPolls: number
  /** The same while bytes of it come, or while it waits for a CPU. */
  readonly busyAnswerPolls: number
  readonly startPolls: number
  readonly memory: MemoryPace
  /** Of processes that rooms share. */
  readonly groups: GroupPace
}

const polls = (ms: number): number => Math.ceil(ms / PollEveryMs)

export const StandardPace: ProcessPace = {
  pingPolls: polls(PingEveryMs),
  restPingPolls: polls(RestPingEveryMs),
  answerPolls: polls(RoomProcessLimits.roomAnswer.ms),
  busyAnswerPolls: polls(RoomProcessLimits.roomBusyAnswer.ms),
  startPolls: polls(RoomProcessLimits.roomStart.ms),
  memory: {
    answerPolls: polls(RoomProcessLimits.roomWeigh.ms),
    busyAnswerPolls: polls(RoomProcessLimits.roomBusyWeigh.ms),
    restPolls: polls(PingEveryMs),
    startRestPolls: polls(RoomProcessLimits.physicsStartRest.ms),
    blindPolls: polls(RoomProcessLimits.roomSelfWeigh.ms)
  },
  groups: {
    alonePolls: polls(RoomProcessLimits.sharedAlone.ms),
    emptyPolls: polls(RoomProcessLimits.sharedEmpty.ms)
  }
}
