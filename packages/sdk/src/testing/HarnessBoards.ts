import type { SubmitResult } from "@atrium/runtime/room/Room"
import { RpcError } from "@atrium/runtime/room/RpcError"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"

import { type HarnessCall, refuseFor } from "./HarnessCalls.ts"

/** A board as `service.json` declares it; the harness keeps the scores of one period. */
export interface HarnessBoard {
  readonly direction: "higher" | "lower"
  readonly mode?: "best" | "sum" | "last"
  readonly buckets?: boolean
}

/** A player's score and its place; 1 is the first. */
export interface HarnessRow {
  readonly rank: number
  readonly playerId: string
  readonly score: number
}

interface Submit {
  readonly board: string
  readonly player: string
  readonly score: number
  readonly bucket: string | null
  readonly id: string | null
}

/** The leaderboards of a harness: what `room.leaderboard` asks of the service. */
export class HarnessBoards {
  readonly #declared: Readonly<Record<string, HarnessBoard>>
  /** Scores by board and bucket, then by player, in the order in which they were made. */
  readonly #scores = new Map<string, Map<string, number>>()
  readonly #counted = new Set<string>()

  constructor(declared: Readonly<Record<string, HarnessBoard>>) {
    this.#declared = declared
  }

  readonly calls: Readonly<Record<string, HarnessCall>> = {
    "boards.submit": {
      answer: (submit: Submit) => {
        const declared = this.#declared[submit.board]
        if (declared === undefined) {
          const message = `board: the harness has no board ${submit.board}`
          throw new RpcError("E_BOARD_UNKNOWN", message)
        }
        refuse(submit, declared)
        return this.#submit(submit)
      }
    }
  }

  /** The scores of a board, the first one first. */
  rows(board: string, bucket: string | null): ReadonlyArray<HarnessRow> {
    const sign = this.#declared[board]?.direction === "lower" ? 1 : -1
    return [...(this.#scores.get(placeOf({ board, bucket })) ?? [])]
      .sort(([, one], [, other]) => sign * (one - other))
      .map(([playerId, score], index) => ({ rank: index + 1, playerId, score }))
  }

  #submit(submit: Submit): SubmitResult {
    const { board, player, bucket, id } = submit
    const place = placeOf(submit)
    const scores = this.#scores.get(place) ?? new Map<string, number>()
    this.#scores.set(place, scores)
    const before = scores.get(player) ?? null
    const counts = JSON.stringify([board, bucket, player, id])
    if (id !== null && this.#counted.has(counts)) return { score: before, changed: false }
    if (id !== null) this.#counted.add(counts)
    const score = this.#scoreAfter(submit, before)
    if (score === before) return { score, changed: false }
    // Of equal scores the earlier one is the first.
    scores.delete(player)
    scores.set(player, score)
    return { score, changed: true }
  }

  #scoreAfter({ board, score }: Submit, before: number | null): number {
    const { direction = "higher", mode = "best" } = this.#declared[board] ?? {}
    if (before === null || mode === "last") return score
    if (mode === "sum") return before + score
    return direction === "higher" ? Math.max(before, score) : Math.min(before, score)
  }
}

const placeOf = ({ board, bucket }: Pick<Submit, "board" | "bucket">): string =>
  `${board} ${bucket ?? ""}`

/** Refuses what the service would. */
const refuse = ({ score, bucket, id }: Submit, { buckets = false, mode }: HarnessBoard): void => {
  if (!Number.isSafeInteger(score)) {
    const message = "score: must be a whole number within the safe range"
    throw new RpcError(RoomRefusals.scoreInvalid.code, message)
  }
  const [missing, unknown] = [buckets && bucket === null, !buckets && bucket !== null]
  refuseFor(missing ? "bucket: the board keeps its scores in buckets; name one" : null)
  refuseFor(unknown ? "bucket: the board has no buckets" : null)
  const needsId = mode === "sum" && id === null
  refuseFor(needsId ? "id: a board of mode sum takes an id with each score" : null)
}
