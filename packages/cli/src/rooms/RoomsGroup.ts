import { durationMs } from "@atrium/wire/time/Duration"
import { Command, Flag } from "effect/cli"

import { Misused } from "../CommandFailure.ts"
import { idArgument, json, target } from "../projects/ProjectParameters.ts"
import { printable } from "../terminal/Printable.ts"

export const isDuration = (text: string): boolean => durationMs(text) !== null
export const durationForm = "a duration such as 10m, 36h or 30d, from 1m to 3650d"

const only = (name: string, description: string) =>
  Flag.Boolean(name).pipe(
    Flag.withDescription(`Only rooms ${description}`),
    Flag.withoutNegation,
    Flag.withDefault(false)
  )

/** `atrium rooms` with what its subcommands take as well, before or after their names. */
export const group = Command.make("rooms", {
  active: only("active", "that are awake"),
  idle: only("idle", "that are not awake"),
  idleLongerThan: Flag.String("idle-longer-than").pipe(
    Flag.withDescription("Only rooms last seen longer ago than that, such as 36h"),
    Flag.filter(isDuration, () => durationForm),
    Flag.optional
  ),
  json
}).pipe(Command.withSharedFlags(target))

export const room = idArgument("room", "Id of the room")

/** Refuses a text that has not the form of a room's id. */
export const noRoomId = (text: string) =>
  new Misused({
    message: `${printable(text)} is no id of a room: 1 to 128 of A-Z a-z 0-9 . _ ~ : -`
  })
