import { SchemaLimits } from "@atrium/wire/schema/SchemaLimits"
import { Schema } from "effect"

import { declarations, Flag } from "../projects/Declarations.ts"
import { wholeNumber } from "../shared/WholeNumber.ts"
import { QueueLimits } from "./QueueLimits.ts"

const teamSize = wholeNumber(QueueLimits.teamSize)

/**
 * `count` teams alike, one when nothing is said. A team has `size` players; with `minSize` and
 * `maxSize` it may have fewer or more. Source: D-33, C-69.
 */
const Team = Schema.Struct({
  size: Schema.optionalKey(teamSize),
  minSize: Schema.optionalKey(teamSize),
  maxSize: Schema.optionalKey(teamSize),
  count: Schema.optionalKey(wholeNumber({ min: 1, max: QueueLimits.queueTeams.max })),
  fill: Schema.optionalKey(Flag)
})
  .annotate({ message: "must be a team: an object" })
  .check(
    Schema.makeFilter(({ minSize, size, maxSize }) => {
      const rising = [minSize, size, maxSize].filter((each) => each !== undefined)
      const falls = rising.some((each, index) => each < (rising[index - 1] ?? 0))
      return !falls || "minSize, size and maxSize must not fall"
    })
  )
export type Team = typeof Team.Type

export const seatsOf = ({ count = 1, minSize, size, maxSize }: Team): number =>
  count * (maxSize ?? size ?? minSize ?? 1)

const sum = (numbers: ReadonlyArray<number>): number =>
  numbers.reduce((total, each) => total + each, 0)

const Teams = Schema.Array(Team)
  .annotate({ message: "must be an array of teams" })
  .check(
    Schema.makeFilter((teams) => {
      const { min, max } = QueueLimits.queueTeams
      const count = sum(teams.map((team) => team.count ?? 1))
      if (count < min || count > max) return `must be ${min} to ${max} teams, not ${count}`
      const seats = sum(teams.map(seatsOf))
      return (
        seats <= QueueLimits.queueSize.max ||
        `must seat at most ${QueueLimits.queueSize.max} players, not ${seats}`
      )
    })
  )

/** One queue as `service.json` declares it. Spec: Project file, queues. */
const Queue = Schema.Struct({
  size: Schema.optionalKey(wholeNumber(QueueLimits.queueSize)),
  skill: Schema.optionalKey(Flag),
  teams: Schema.optionalKey(Teams)
})
  .annotate({ message: "must be a queue: an object" })
  .check(
    Schema.makeFilter(
      (queue) =>
        queue.size === undefined || queue.teams === undefined || "size and teams exclude each other"
    )
  )

export type Queue = typeof Queue.Type

/** A project's queues by name; none = one queue of two. Spec: Project file, queues. */
export const Queues = declarations(Queue, {
  entries: QueueLimits.queues.max,
  nameChars: SchemaLimits.queueNameChars.max,
  noun: "queues"
})
export type Queues = typeof Queues.Type
