import { breakingFields } from "@atrium/domain/migrations/MigrationRefusal"
import { Effect, Option, Schema } from "effect"

import { type CommandFailure, Refused } from "../CommandFailure.ts"
import { printable } from "../terminal/Printable.ts"

/** Adds to the refusal of a breaking deploy the count of stored rooms and saves, and the three ways on. Source: C-700. */
export const withWays = <A, R>(
  deploy: Effect.Effect<A, CommandFailure, R>
): Effect.Effect<A, CommandFailure, R> =>
  Effect.mapError(deploy, (failure) =>
    failure._tag === "Refused" && failure.code === "E_SCHEMA_BREAKING"
      ? new Refused({ code: failure.code, text: breakingText(failure) })
      : failure
  )

const decodeBreaking = Schema.decodeUnknownOption(Schema.Struct(breakingFields))

const breakingText = ({ text, details }: Refused): string => {
  const decoded = decodeBreaking({ ...details, message: text })
  // An older service sends code and message alone.
  if (Option.isNone(decoded)) return text
  const { type, difference, rooms, saves } = decoded.value
  return [
    `${printable(type)}: ${printable(difference)}`,
    `It concerns ${counted(rooms, "stored room")} and ${counted(saves, "save")}. Three ways lead on:`,
    "  a migration  `atrium migrate create` writes one; `atrium deploy --allow-breaking` goes with it",
    '  preRelease   "preRelease": true in service.json: rooms start anew, and their saves are lost',
    `  a new type   keep ${printable(type)} as it is, and change a room type of another name`
  ].join("\n")
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`
