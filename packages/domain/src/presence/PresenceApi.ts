import { FrameLimits } from "@atrium/wire/frames/FrameLimits"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

import { Moment } from "../http/Moment.ts"
import { onWire, rateLimitedOnWire } from "../http/onWire.ts"
import { projectPart, roomParts } from "../http/PathParts.ts"
import { NotFound, OriginRefused } from "../shared/Refusal.ts"
import { PresenceLimits } from "./PresenceLimits.ts"

const most = PresenceLimits.presencePlayers.max
const idBytes = FrameLimits.playerIdBytes.max
const { min, max } = PresenceLimits.presenceWaitS

/** The ids of a list that is separated by commas. */
export const namedPlayers = (text: string): ReadonlyArray<string> => text.split(",")

const faultOfPlayers = (text: string): string | true => {
  const ids = namedPlayers(text)
  if (ids.length > most || ids.includes("")) {
    return `must be 1 to ${most} player ids with a comma between them`
  }
  const encoder = new TextEncoder()
  return (
    ids.every((id) => encoder.encode(id).length <= idBytes) ||
    `must have ids of at most ${idBytes} bytes`
  )
}

/** 1 to 100 player ids with a comma between them. An unknown id is valid: its player is in no room. */
const PlayersText = Schema.String.annotate({
  description: `1 to ${most} player ids with a comma between them.`,
  examples: ["pl_0123456789abcdef0123456789abcdef"]
}).check(Schema.makeFilter(faultOfPlayers))

const WaitText = Schema.String.annotate({
  description: `Seconds, ${min} to ${max}: the answer comes with the first change, or unchanged after them.`
}).check(
  Schema.makeFilter(
    (text) =>
      (/^[1-9]\d?$/.test(text) && Number(text) <= max) ||
      `must be a whole number from ${min} to ${max}`
  )
)

const CursorText = Schema.String.annotate({
  description: "The cursor of an earlier answer; a watch without one is answered at once."
}).check(
  Schema.makeFilter(
    (text) => /^[A-Za-z0-9_-]{16}$/.test(text) || "must be the cursor of an earlier answer"
  )
)

/** Where a player is. `since`: when the player came into the room. Source: D-32, C-560. */
const PlayerPresence = Schema.Struct({
  playerId: Schema.String,
  roomId: Schema.NullOr(roomParts.roomId),
  since: Schema.NullOr(Moment)
}).annotate({
  identifier: "PlayerPresence",
  description: "The room that a player is in and since when; both null = in none."
})

const Presence = Schema.Struct({
  players: Schema.Array(PlayerPresence),
  cursor: Schema.String
}).annotate({ identifier: "Presence", description: "Where some players are." })

/** Where players are. An open endpoint. Source: D-32. */
export class PresenceApi extends HttpApiGroup.make("presence")
  .annotateMerge(
    OpenApi.annotations({
      title: "Presence",
      description: "Which rooms players are in. The project's id and theirs are all that it takes."
    })
  )
  .add(
    HttpApiEndpoint.get("read", "/v1/presence", {
      query: {
        project: projectPart.id,
        players: PlayersText,
        wait: Schema.optionalKey(WaitText),
        cursor: Schema.optionalKey(CursorText)
      },
      success: Presence,
      error: [onWire(NotFound), onWire(OriginRefused), rateLimitedOnWire]
    }).annotate(
      OpenApi.Summary,
      "Tells the rooms that players are in; with `wait` and `cursor`, as soon as that has changed."
    )
  ) {}
