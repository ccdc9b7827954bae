import { count, DayMs, MinuteMs, SecondMs, span } from "@atrium/wire/limits/Limit"

/** Bounds of `atrium sim load`, so that a slip of the keyboard is no attack. */
export const LoadLimits = {
  players: count("Players of one process", {
    max: 10_000,
    per: "process",
    past: "refused, with the scale that fits; joins by the second wait until others left"
  }),
  scale: count("Times of the scenario's players", {
    max: 100,
    per: "run",
    past: "wrong use"
  }),
  run: span("How long a run lasts", { ms: DayMs, per: "run", past: "wrong use" }),
  runPreset: span("How long a run without `load` and `--for` lasts", {
    ms: 5 * MinuteMs,
    per: "run",
    past: "players leave"
  }),
  playersOfAddress: count("Players who come from one address of this machine", {
    max: 25,
    per: "loopback address",
    past: "the next ones come from another address"
  }),
  again: span("Time until somebody comes in the place of a player who was refused", {
    ms: 5 * SecondMs,
    per: "player",
    past: "a new player joins"
  }),
  ping: span("Time from one ping of a player to the next", {
    ms: 5 * SecondMs,
    per: "player",
    past: "the player pings"
  }),
  leaving: span("Time for players to leave at the end", {
    ms: 10 * SecondMs,
    per: "run",
    past: "the report says how many were still there"
  })
} as const
