import type { ProjectFigures } from "@atrium/domain/metrics/ProjectFigures"
import type { AnyRoomSchema } from "@atrium/sdk/schema"
import { Schema } from "effect"

import { Scenario, type ScenarioSource } from "../scenario/Scenario.ts"
import { printWithComments } from "../scenario/ScenarioPrint.ts"
import { Bytes, Span } from "../scenario/Units.ts"
import { gameSizes } from "./GameSizes.ts"

/** The findings of `sim init`; `null` = it was not asked to look. */
export interface DraftFacts {
  readonly schema: { readonly path: string; readonly declared: AnyRoomSchema } | null
  readonly project: { readonly id: string; readonly figures: ProjectFigures } | null
}

type Game = ScenarioSource["game"]

const bytesText = Schema.encodeSync(Bytes)
const spanText = Schema.encodeSync(Span)
const bytes = (count: number) => bytesText(Bytes.make(count))

const guess = "A guess: change it."
const guesses = [
  "players.daily",
  "session.minutes",
  "fleet.runner",
  "fleet.postgres",
  "game.durablePerPlayerHour",
  "game.up.hz"
]
const upHzMax = 20

/** A scenario to begin with: what is known, and a guess for the rest, each marked as such. */
export const scenarioDraft = ({ schema, project }: DraftFacts): string => {
  const remarks = new Map(guesses.map((path) => [path, guess]))
  const declared = schema === null ? undeclared(remarks) : declaredGame(schema, remarks)
  const scenario = Schema.decodeSync(Scenario)({
    game: project === null ? declared : observedGame(declared, { ...project, remarks }),
    players: { daily: 1000 },
    session: { minutes: { lognormal: [15, 0.8] } },
    fleet: { runner: { cores: 2, memory: "4GB" }, postgres: { writesPerSecond: 1000 } }
  })
  return printWithComments(scenario, { head: headOf({ schema, project }), remarks })
}

const headOf = ({ schema, project }: DraftFacts): string =>
  [
    "A scenario of `atrium sim`: check it with `atrium sim check`, and read docs/simulate.md.",
    schema === null ? "No schema was given: all of game is a guess." : null,
    schema === null ? null : `game is that of ${schema.declared.type}, in ${schema.path}.`,
    project === null
      ? null
      : `Measured is what the project ${project.id} did when this was written.`,
    "Sizes: 1 KB is 1024 bytes. Times of events are UTC."
  ]
    .filter((line) => line !== null)
    .join("\n")

const undeclared = (remarks: Map<string, string>): Game => {
  for (const key of ["patchBytes", "up.bytes", "stateBytes"]) remarks.set(`game.${key}`, guess)
  const up = { hz: 20, bytes: 24 }
  return { maxClients: 8, tickHz: 20, patchBytes: 400, up, stateBytes: "16KB" }
}

const declaredGame = (
  { path, declared }: NonNullable<DraftFacts["schema"]>,
  remarks: Map<string, string>
): Game => {
  const sizes = gameSizes(declared)
  const assumed = `Estimated with ${declared.maxClients} records in each collection.`
  remarks.set("game.stateBytes", assumed)
  remarks.set("game.patchBytes", `${assumed} All their fractional numbers change.`)
  remarks.set("game.up.bytes", "Estimated: the largest message that the schema declares.")
  return {
    schema: path,
    class: declared.class,
    maxClients: declared.maxClients,
    tickHz: declared.tickHz,
    patchBytes: bytes(sizes.patchBytes),
    up: {
      hz: declared.tickHz === 0 ? 1 : Math.min(declared.tickHz, upHzMax),
      bytes: sizes.upBytes
    },
    stateBytes: bytes(sizes.stateBytes),
    hibernateAfter: spanText(Span.make(declared.hibernateAfterMs)),
    retention: declared.retention ?? "forever"
  }
}

interface Observed extends NonNullable<DraftFacts["project"]> {
  readonly remarks: Map<string, string>
}

/** The game with the project's figures, which count more than the guesses from its schema. */
const observedGame = (game: Game, { figures, remarks }: Observed): Game => {
  const { before, after, apartMs, rooms, details } = figures
  const sockets = (before.sockets + after.sockets) / 2
  const perSecond = (key: "ingressBytes" | "egressBytes"): number =>
    apartMs === 0 || sockets === 0 ? 0 : ((after[key] - before[key]) * 1000) / apartMs / sockets
  const down = perSecond("egressBytes")
  const up = perSecond("ingressBytes")
  const awake = rooms.filter(({ status }) => status === "awake")
  const states = details.map(({ stateBytes }) => stateBytes).filter((size) => size > 0)
  const clients = awake.reduce((total, room) => total + room.clients, 0)
  remarks.set(
    "players.daily",
    `${guess} Measured now: ${after.sockets} connections, ${rooms.length} rooms.`
  )
  remarks.set(
    "game.maxClients",
    `Measured: ${clients} players in ${awake.length} rooms that are awake.`
  )
  const tickHz = game.tickHz ?? 0
  const measured: { -readonly [Key in keyof Game]: Game[Key] } = { ...game }
  if (states.length > 0) {
    measured.stateBytes = bytes(median(states))
    remarks.set("game.stateBytes", `Measured: the median of ${states.length} rooms.`)
  }
  if (down > 0 && tickHz > 0) {
    measured.patchBytes = bytes(Math.max(1, Math.round(down / tickHz)))
    remarks.set(
      "game.patchBytes",
      `Measured: ${Math.round(down)} bytes a second to each connection.`
    )
  }
  if (up > 0 && game.up.hz > 0) {
    measured.up = { hz: game.up.hz, bytes: bytes(Math.max(1, Math.round(up / game.up.hz))) }
    remarks.set("game.up", `Measured: ${Math.round(up)} bytes a second of each connection.`)
    remarks.delete("game.up.bytes")
  }
  return measured
}

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
