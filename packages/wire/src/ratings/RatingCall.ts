import { FrameLimits } from "../frames/FrameLimits.ts"
import type { RangeLimit } from "../limits/Limit.ts"
import { isQueueName } from "../schema/QueueName.ts"
import { SchemaLimits } from "../schema/SchemaLimits.ts"
import { utf8Length } from "../text/Utf8.ts"
import { RatingLimits } from "./RatingLimits.ts"

/** The place of one player in the result of a game; 1 is the best, equal places are a draw. */
export interface PlayerPlace {
  readonly player: string
  readonly place: number
}

/** What room code sends with `ratings.report`. `queue` null = that of the room's type. */
export interface ReportPayload {
  readonly id: string
  readonly queue: string | null
  readonly results: ReadonlyArray<PlayerPlace>
}

/** What room code sends with `ratings.get`. `queue` null = that of the room's type. */
export interface ReadPayload {
  readonly queue: string | null
  readonly players: ReadonlyArray<string>
}

/** The queue of a result whose room type names none, and whose report neither. Spec: Project file, queues. */
export const defaultQueue = "default"

/** Says what is wrong with a report, naming the field; `null` = nothing. Spec: Skill rating limits. */
export const reportFault = ({ id, queue, results }: ReportPayload): string | null =>
  idFault(id) ??
  queueFault(queue) ??
  countFault("results", results, RatingLimits.ratingReportPlayers) ??
  firstFault(
    results,
    ({ player, place }, at) =>
      playerFault(`results.${at}.player`, player) ?? placeFault(`results.${at}.place`, place)
  ) ??
  twiceFault(
    "results",
    results.map(({ player }) => player)
  )

/** Says what is wrong with a read, naming the field; `null` = nothing. */
export const readFault = ({ queue, players }: ReadPayload): string | null =>
  queueFault(queue) ??
  countFault("players", players, RatingLimits.ratingsRead) ??
  firstFault(players, (player, at) => playerFault(`players.${at}`, player)) ??
  twiceFault("players", players)

const idFault = (id: string): string | null => {
  const { max } = RatingLimits.ratingReportIdBytes
  return isText(id, max) ? null : `id: must be 1 to ${max} bytes of text`
}

const queueFault = (queue: string | null): string | null =>
  queue === null || isQueueName(queue)
    ? null
    : `queue: must be 1 to ${SchemaLimits.queueNameChars.max} of a-z 0-9 . _ -`

const countFault = (
  path: string,
  { length }: ReadonlyArray<unknown>,
  { min, max }: RangeLimit
): string | null =>
  length >= min && length <= max ? null : `${path}: must be ${min} to ${max} players, not ${length}`

const playerFault = (path: string, player: string): string | null => {
  const { max } = FrameLimits.playerIdBytes
  return isText(player, max) ? null : `${path}: must be a player id of 1 to ${max} bytes`
}

const placeFault = (path: string, place: number): string | null => {
  const { min, max } = RatingLimits.ratingPlace
  return Number.isInteger(place) && place >= min && place <= max
    ? null
    : `${path}: must be a whole number from ${min} to ${max}`
}

const twiceFault = (path: string, players: ReadonlyArray<string>): string | null => {
  const at =
    players.length === new Set(players).size
      ? -1
      : players.findIndex((player, place) => players.indexOf(player) < place)
  return at === -1 ? null : `${path}.${at}: the player is there twice`
}

// PostgreSQL keeps no text with a zero byte.
const isText = (text: string, bytesMax: number): boolean =>
  text !== "" && !text.includes("\0") && utf8Length(text) <= bytesMax

const firstFault = <Item>(
  items: ReadonlyArray<Item>,
  faultOf: (item: Item, at: number) => string | null
): string | null => {
  for (const [at, item] of items.entries()) {
    const fault = faultOf(item, at)
    if (fault !== null) return fault
  }
  return null
}
