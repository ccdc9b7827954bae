import { QueueLimits } from "./QueueLimits.ts"
import { type Queue, type Queues, seatsOf, type Team } from "./Queues.ts"

/** One team of a match. */
export interface TeamRule {
  /** The match starts with no fewer. */
  readonly min: number
  readonly max: number
  /** The team takes `min` only when the wait of one of its match runs out. Source: D-53. */
  readonly fill: boolean
}

/** What a queue matches. A queue without teams has one, of its size. */
export interface QueueRules {
  readonly teams: ReadonlyArray<TeamRule>
  /** Ratings count: tickets meet within their bands. */
  readonly skill: boolean
}

/** The rules of one declared queue. Source: D-33, D-53, C-69. */
export const rulesOf = ({ size, skill = false, teams }: Queue): QueueRules => {
  if (teams !== undefined) return { teams: teams.flatMap(teamsOf), skill }
  const seats = size ?? QueueLimits.queueSize.min
  return { teams: [{ min: seats, max: seats, fill: false }], skill }
}

const teamsOf = (team: Team): ReadonlyArray<TeamRule> => {
  const { count = 1, fill = false } = team
  const max = seatsOf({ ...team, count: 1 })
  const min = team.minSize ?? team.size ?? (team.maxSize === undefined ? max : 1)
  return Array.from({ length: count }, () => ({ min, max, fill }))
}

const sum = (numbers: ReadonlyArray<number>): number =>
  numbers.reduce((total, each) => total + each, 0)

/** The most players of a match. */
export const seatsIn = ({ teams }: QueueRules): number => sum(teams.map(({ max }) => max))

/** The largest party that a queue takes: a party is in one team. Source: C-601. */
export const partyMost = ({ teams }: QueueRules): number => Math.max(...teams.map(({ max }) => max))

/** The queue that a request means by a name, or by none. Source: C-600. */
const defaultQueue = "default"

/** A queue by its name. */
export interface NamedQueue {
  readonly name: string
  readonly rules: QueueRules
}

/**
 * The queue of a request: a project without queues has one of two, `default`; one that declares a single queue means
 * that. `null` = the project has no such queue. Spec: Project file, queues; C-600.
 */
export const queueNamed = (queues: Queues, name: string | undefined): NamedQueue | null => {
  const names = Object.keys(queues)
  const [only = defaultQueue] = names
  const wanted = name ?? (names.length <= 1 ? only : defaultQueue)
  if (names.length === 0) {
    return wanted === defaultQueue ? { name: wanted, rules: rulesOf({}) } : null
  }
  const declared = Object.hasOwn(queues, wanted) ? queues[wanted] : undefined
  return declared === undefined ? null : { name: wanted, rules: rulesOf(declared) }
}
