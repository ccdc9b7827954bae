import { Tiers } from "@atrium/domain/meters/Caps"
import { wholeNumber } from "@atrium/domain/shared/WholeNumber"
import { SchemaLimits } from "@atrium/wire/schema/SchemaLimits"
import { DurationPattern, durationMs } from "@atrium/wire/time/Duration"
import { Schema } from "effect"

import { Load } from "./Load.ts"
import { RegionOffsetHours } from "./Regions.ts"
import { oneOf, optional, positive, preset, required, section } from "./ScenarioKey.ts"
import { ScenarioLimits } from "./ScenarioLimits.ts"
import { Bytes, Moment, Share, Span, TimeOfDay } from "./Units.ts"

const people = wholeNumber(ScenarioLimits.players)
const roomCount = wholeNumber(ScenarioLimits.rooms)
const isRetention = (text: string): boolean => text === "forever" || durationMs(text) !== null
const retentionForm = "must be a duration such as 10m, 36h or 30d, or forever"

const isHibernation = (ms: number): boolean => ms <= SchemaLimits.hibernateAfterMs.ms
const hibernationForm = "must be a span from 0s to 1d"

const Game = section({
  schema: optional(Schema.String, "The file that the schema is in, seen from this file."),
  class: preset(
    oneOf(["standard", "large", "xlarge"]),
    "standard",
    "Size class of the room type: standard, large or xlarge."
  ),
  maxClients: preset(
    wholeNumber({ min: 1, max: SchemaLimits.maxClients.max }),
    SchemaLimits.maxClientsDefault.max,
    "Players that a room holds."
  ),
  tickHz: preset(
    wholeNumber({ min: 0, max: SchemaLimits.tickHz.max }),
    0,
    "Ticks a second; 0 = a patch after each event."
  ),
  patchBytes: required(Bytes, "Size of one patch to one player."),
  up: required(
    section({
      hz: required(positive(ScenarioLimits.sentHz), "Messages that a player sends, a second."),
      bytes: required(Bytes, "Size of one of them."),
      message: optional(
        Schema.String,
        "The message of the schema that it is, for load; none = the first one."
      )
    }),
    "What a player sends."
  ),
  stateBytes: required(Bytes, "Size of a room's state, as a snapshot stores it."),
  durablePerPlayerHour: preset(
    positive(ScenarioLimits.durableCalls),
    0,
    "Durable calls of a player in an hour."
  ),
  hibernateAfter: preset(
    Span.check(Schema.makeFilter((ms) => isHibernation(ms) || hibernationForm)),
    "30s",
    "How long an empty room stays awake."
  ),
  retention: preset(
    Schema.String.check(
      Schema.makeFilter((text) => isRetention(text) || retentionForm, {
        toJsonSchema: () => ({ pattern: `^forever$|${DurationPattern.source}` })
      })
    ),
    "forever",
    "How long the state of an unused room is kept: a duration, or forever."
  ),
  voice: preset(
    section({
      share: preset(Share, 0, "Part of the sessions that talk."),
      minutes: preset(positive(ScenarioLimits.sessionMinutes), 0, "Minutes that one of them talks.")
    }),
    {},
    "Who talks, and how long."
  )
})

const region = (name: keyof typeof RegionOffsetHours) =>
  optional(Share, `Part of the players there; local time is UTC ${RegionOffsetHours[name]} h.`)

const regionSum = "must sum to 100%"
const Regions = section({
  utc: region("utc"),
  eu: region("eu"),
  us: region("us"),
  sa: region("sa"),
  africa: region("africa"),
  india: region("india"),
  asia: region("asia"),
  oceania: region("oceania")
}).check(
  Schema.makeFilter((shares) => {
    const sum = Object.values(shares).reduce((total: number, share) => total + share, 0)
    return Math.abs(sum - 1) < 1e-9 || regionSum
  })
)

const Players = section({
  daily: required(people, "Players of a working day."),
  peak: preset(TimeOfDay, "20:00", "When most of them play, in the local time of each region."),
  shape: preset(
    oneOf(["diurnal", "flat"]),
    "diurnal",
    "How a day goes: diurnal (a wave with its top at the peak) or flat."
  ),
  trough: preset(Share, "12%", "Players at the quietest hour, as a part of those at the peak."),
  weekend: preset(
    positive(ScenarioLimits.weekend),
    1,
    "Players of a Saturday or Sunday, times those of a working day."
  ),
  regions: preset(Regions, { utc: 1 }, "Where they are: shares that sum to 100%."),
  shared: preset(
    section({
      share: preset(Share, "3%", "Part of the players behind such addresses."),
      players: preset(people, 1000, "Players of a day behind one of them.")
    }),
    {},
    "Addresses that many players share, as those of schools and of mobile networks."
  )
})

const minutes = positive(ScenarioLimits.sessionMinutes)
const minutesForm = "must be minutes, or { lognormal: [median in minutes, sigma] }"
const Minutes = Schema.Union([
  minutes,
  Schema.Struct({ lognormal: Schema.Tuple([minutes, positive(ScenarioLimits.sessionSigma)]) })
]).annotate({ message: minutesForm })

const Session = section({
  minutes: required(
    Minutes,
    "How long one lasts: a number of minutes, or { lognormal: [median, sigma] }."
  ),
  rejoinAfterDrop: preset(Share, 1, "Part of the players who come back when their line drops."),
  matchmaking: optional(
    section({
      queue: required(
        Schema.String.check(
          Schema.isPattern(new RegExp(`^[a-z0-9._-]{1,${SchemaLimits.queueNameChars.max}}$`), {
            message: "must be the name of a queue"
          })
        ),
        "The queue that players wait in."
      )
    }),
    "How players find a room; none = they join one that has a place."
  ),
  persistentRooms: preset(Share, 0, "Part of the sessions in rooms that players come back to.")
})

const Event = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("flashCrowd"),
    at: required(Moment, "When the first of them comes."),
    players: required(people, "Players who come beside all others."),
    over: required(Span, "The span in which they come.")
  }),
  Schema.Struct({
    kind: Schema.Literal("deploy"),
    at: required(Moment, "When a new version is deployed: every room is started again.")
  }),
  Schema.Struct({
    kind: Schema.Literal("killRunner"),
    at: required(Moment, "When one runner dies.")
  }),
  Schema.Struct({
    kind: Schema.Literal("runawayLoop"),
    at: required(Moment, "When it begins."),
    rooms: required(roomCount, "Rooms that a fault in the code keeps awake, without players.")
  })
]).annotate({
  message: "must be an event: kind is flashCrowd, deploy, killRunner or runawayLoop"
})

const month = /^20[0-9]{2}-(?:0[1-9]|1[0-2])$/
const cap = (unit: string) => optional(positive(ScenarioLimits.cap), `Ceiling in ${unit}.`)
const included = (unit: string) =>
  optional(wholeNumber(ScenarioLimits.allowance), `Allowance in ${unit}.`)

const Plan = section({
  month: optional(
    Schema.String.check(Schema.isPattern(month, { message: "must be a month such as 2026-12" })),
    "The month to plan; none = 30 days from a fixed day."
  ),
  tier: preset(oneOf(Tiers), "free", "free, or card: with a card on file."),
  allowances: preset(
    section({
      roomHours: included("room hours"),
      voiceMinutes: included("participant-minutes"),
      storageBytes: optional(Bytes, "Allowance of what is stored."),
      dataOutBytes: optional(Bytes, "Allowance of what leaves in the month.")
    }),
    {},
    "What the tier includes, where the service is set so (ATRIUM_ALLOWANCES_FREE, ATRIUM_ALLOWANCES_CARD); else the service's defaults."
  ),
  caps: preset(
    section({
      roomHours: cap("room hours"),
      voiceMinutes: cap("participant-minutes"),
      storageBytes: optional(Bytes, "Ceiling of what is stored."),
      dataOutBytes: optional(Bytes, "Ceiling of what leaves in the month.")
    }),
    {},
    "The owner's ceilings."
  ),
  alertAt: preset(Share, "80%", "Part of a ceiling or allowance at which the plan warns.")
})

const Fleet = section({
  runner: required(
    section({
      cores: required(positive(ScenarioLimits.cores), "Cores of one machine."),
      memory: required(Bytes, "Memory of one machine."),
      perMonth: preset(
        positive(ScenarioLimits.price),
        0,
        "Price of one machine for a month, in your currency."
      )
    }),
    "The machines that rooms run on."
  ),
  postgres: required(
    section({
      writesPerSecond: required(
        positive(ScenarioLimits.storeWrites),
        "Writes that it sustains, a second."
      ),
      perMonth: preset(positive(ScenarioLimits.price), 0, "Its price for a month.")
    }),
    "The database."
  ),
  egressPerGB: preset(positive(ScenarioLimits.egressPrice), 0, "Price of one GB that leaves."),
  headroom: preset(Share, "30%", "Part of each machine that is kept free.")
})

const Slo = section({
  joinP99: preset(Span, "1s", "99 of 100 joins are done within it."),
  tickLate: preset(Share, "1%", "Part of the ticks that may be late."),
  failover: preset(Span, "5s", "How long rooms of a dead machine may be away.")
})

/** Days of a month such as 2026-12; none = 30. */
export const daysOf = (month: string | undefined): number => {
  if (month === undefined) return 30
  const [year = 0, number = 1] = month.split("-").map(Number)
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][number - 1] ?? 30
}

/** The question that `atrium sim` answers: a game, its players and what it runs on. */
export const Scenario = section({
  game: required(Game, "The game, as its schema declares it."),
  players: required(Players, "Who plays, and when."),
  session: required(Session, "What a player does."),
  events: preset(
    Schema.Array(Event).check(
      Schema.isMaxLength(ScenarioLimits.events.max, {
        message: `must be at most ${ScenarioLimits.events.max} events`
      })
    ),
    [],
    "What happens beside that, such as { at: sat 18:00, kind: flashCrowd, players: 500, over: 4m }."
  ),
  plan: preset(Plan, {}, "What is paid for, and where it ends."),
  fleet: required(Fleet, "What it runs on, and what that costs."),
  slo: preset(Slo, {}, "What players may expect."),
  load: optional(Load, "Phases of a load test; none = they follow from players and events.")
}).check(
  Schema.makeFilter(({ events, plan }) => {
    const days = daysOf(plan.month)
    const index = events.findIndex(({ at }) => typeof at.day === "number" && at.day > days)
    return (
      index < 0 || {
        path: ["events", index, "at"],
        issue: `must be one of the plan's ${days} days`
      }
    )
  })
)
export type Scenario = typeof Scenario.Type
/** A scenario as its file has it. */
export type ScenarioSource = typeof Scenario.Encoded
