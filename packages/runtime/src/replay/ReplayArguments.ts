import { ReplayCodes } from "@atrium/wire/replay/ReplayCodes"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import { durationMs } from "@atrium/wire/time/Duration"

import { RpcError } from "../room/RpcError.ts"
import type { Window } from "./Excerpt.ts"

/** What is wrong with what room code passed. */
export const badRequest = (what: string): RpcError => new RpcError(ReplayCodes.badRequest, what)

/** Seconds of a clip. Errors: `RpcError` E_BAD_REQUEST. @param declared all that the room's type holds */
export const secondsOf = (seconds: unknown, declared: number): number => {
  if (seconds === undefined) return declared
  if (typeof seconds === "number" && Number.isInteger(seconds)) {
    if (seconds >= 1 && seconds <= declared) return seconds
  }
  throw badRequest(`seconds: must be a whole number from 1 to ${declared}`)
}

/** How long something is kept. Errors: `RpcError` E_BAD_REQUEST. Source: D-09. */
export const ttlOf = (ttl: unknown, declared: string): string => {
  if (ttl === undefined) return declared
  if (typeof ttl === "string" && durationMs(ttl) !== null) return ttl
  throw badRequest("ttl: must be a duration of 1m to 3650d, such as 30d")
}

/** The window of an excerpt. Errors: `RpcError` E_BAD_REQUEST, E_EXCERPT_TOO_LONG. */
export const windowOf = (given: unknown): Window => {
  const [fromMs, toMs] = [momentIn(given, "fromMs"), momentIn(given, "toMs")]
  if (toMs < fromMs) throw badRequest("toMs: must not be before fromMs")
  const { ms } = ReplayLimits.excerptWindow
  if (toMs - fromMs <= ms) return { fromMs, toMs }
  const text = `excerpt: a window of ${toMs - fromMs} ms is over ${ms}`
  throw new RpcError(RoomRefusals.excerptTooLong.code, text)
}

const momentIn = (given: unknown, name: keyof Window): number => {
  const value: unknown =
    typeof given === "object" && given !== null ? Reflect.get(given, name) : null
  if (typeof value === "number" && Number.isFinite(value)) return value
  throw badRequest(`${name}: must be a moment of room.clock in milliseconds`)
}
