import { count, DayMs, MinuteMs, range, span } from "@atrium/wire/limits/Limit"

const past = "`atrium sim check` names it"
const most = (says: string, max: number) => count(says, { max, per: "scenario", past })
const whole = (says: string, max: number) => range(says, { min: 1, max, per: "scenario", past })

/** Bounds of a scenario's values: far above a real game, so that a slip of the keyboard is named. */
export const ScenarioLimits = {
  players: whole("Players of a day or of a flash crowd", 1e9),
  rooms: whole("Rooms that a fault keeps awake", 1e6),
  sentHz: most("Messages that a player sends in a second", 60),
  durableCalls: most("Durable calls of a player in an hour", 1e6),
  sessionMinutes: most("Minutes of a session, or of talk in it", DayMs / MinuteMs),
  sessionSigma: most("Sigma of the length of sessions", 5),
  weekend: most("Players of a weekend's day, times those of a working day", 100),
  events: most("Events", 1000),
  aliases: most("Places of a value that YAML repeats: its anchor and the aliases", 100),
  cap: most("A ceiling in hours or minutes", Number.MAX_SAFE_INTEGER),
  allowance: range("An allowance in hours or minutes", {
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    per: "scenario",
    past
  }),
  cores: most("Cores of a machine", 1024),
  price: most("Price of a machine or of the database for a month", 1e9),
  egressPrice: most("Price of one GB that leaves", 1e6),
  storeWrites: most("Writes of the database in a second", 1e9),
  loadTarget: most("Target of a phase of a load test", 1e6),
  span: span("A span of time", { ms: 3650 * DayMs, per: "scenario", past })
} as const
