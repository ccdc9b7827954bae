import { dirname, resolve } from "node:path"

import { isSecret } from "@atrium/domain/shared/Ids"
import { type AnyRoomSchema, defineSchema, SchemaError } from "@atrium/sdk/schema"
import { SecondMs } from "@atrium/wire/limits/Limit"
import { Config, Console, Effect, Option, Redacted, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"

import { gameSchema } from "../init/GameSchema.ts"
import type { Scenario } from "../scenario/Scenario.ts"
import { scenarioFile } from "../scenario/ScenarioFile.ts"
import { Span } from "../scenario/Units.ts"
import { misused, refused, type SimulateFailure } from "../SimulateFailure.ts"
import { stopAsked } from "../StopAsked.ts"
import { Generator } from "./Generator.ts"
import { seededRandom } from "./LoadChance.ts"
import { LoadFigures } from "./LoadFigures.ts"
import { LoadLimits } from "./LoadLimits.ts"
import { loadMessages } from "./LoadMessages.ts"
import { type LoadPlan, loadPlan, mostOf, spanOf } from "./LoadPlan.ts"
import { type LoadAsked, LoadLooks, loadReport, type LoadReport } from "./LoadReport.ts"
import { LoadRooms } from "./LoadRooms.ts"
import { type LoadCourse, LoadRun } from "./LoadRun.ts"
import { loadScreen } from "./LoadScreen.ts"
import { loadTarget } from "./LoadTarget.ts"
import { judgedText, liveText, lookLine, reportText } from "./LoadText.ts"
import { mintedTokens, signedTokens } from "./LoadTokens.ts"
import { judge } from "./Thresholds.ts"

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const spanIn = Schema.decodeUnknownOption(Span)
const isScale = (scale: number): boolean => scale > 0 && scale <= LoadLimits.scale.max

/** `atrium sim load`: the players of a scenario, with real sockets. */
export const load = Command.make(
  "load",
  {
    scenario: Argument.String("scenario").pipe(
      Argument.withDescription("The scenario: a YAML or JSON file")
    ),
    url: Flag.String("url").pipe(Flag.withDescription("The service: ws://127.0.0.1:8787")),
    iMayLoad: text("i-may-load", "The host of --url once more, when it is another machine"),
    project: text("project", "Id of the project; default: that of the schema, else dev"),
    type: text("type", "The room type, when the schema has several or there is none"),
    scale: Flag.String("scale").pipe(
      Flag.withDescription("Times the scenario's players: 0.01 is one of a hundred"),
      Flag.filterMap(
        (written) => Option.liftPredicate(isScale)(Number(written)),
        () => `a number above 0, at most ${LoadLimits.scale.max}`
      ),
      Flag.withDefault(1)
    ),
    for: Flag.String("for").pipe(
      Flag.withDescription("How long it lasts, such as 5m; default: as long as load says, or 5m"),
      Flag.filterMap(spanIn, () => "a span such as 90s or 5m"),
      Flag.optional
    ),
    seed: Flag.Int("seed").pipe(
      Flag.withDescription("What chance decides: sessions, rooms, values"),
      Flag.withDefault(1)
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print the report as one line of JSON"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("atrium.sim.load")(function* (input) {
    const scenario = yield* scenarioFile(input.scenario)
    const endpoint = yield* Effect.fromResult(
      loadTarget(input.url, Option.getOrNull(input.iMayLoad))
    ).pipe(Effect.mapError(misused))
    const { seed, scale } = input
    const plan = yield* bounded(
      loadPlan(scenario, { scale, forMs: Option.getOrNull(input.for) }),
      scale
    )
    const schema = yield* schemaFor(scenario, {
      path: input.scenario,
      type: Option.getOrNull(input.type)
    })
    const project =
      Option.getOrNull(input.project) ?? schema.project ?? (endpoint.local ? "dev" : null)
    if (project === null) return yield* misused("--project: say which, as no schema names one")
    const { up } = scenario.game
    const messages = yield* Effect.fromResult(loadMessages(schema, up)).pipe(
      Effect.mapError(misused)
    )
    const secret = yield* joinSecret
    const tokens =
      secret === null
        ? mintedTokens(endpoint.http, project)
        : signedTokens(project, Redacted.value(secret))
    const random = seededRandom(seed)
    const name = `${schema.type}-load-${runName()}`
    const game = {
      endpoint,
      project,
      schema,
      messages,
      up,
      tokens,
      random,
      figures: new LoadFigures()
    }
    const { session } = scenario
    const asked: LoadAsked = {
      scenario: input.scenario,
      endpoint,
      project,
      type: schema.type,
      scale,
      seed,
      sends: messages && { message: messages.name, bytes: messages.frameBytes, asked: up.bytes }
    }
    const course: LoadCourse = {
      plan,
      session,
      name,
      game: { ...game, rejoinAfterDrop: session.rejoinAfterDrop },
      rooms: new LoadRooms(name, Math.min(scenario.game.maxClients, schema.maxClients))
    }
    const report = yield* played(course, asked, scenario.load?.thresholds ?? {})
    yield* Console.log(input.json ? JSON.stringify(report) : reportText(report))
    const missed = report.thresholds.filter(({ kept }) => !kept)
    if (missed.length > 0) {
      return yield* refused(missed.map((each) => `missed: ${judgedText(each)}`).join("\n"))
    }
    if (report.ended === "stopped") return yield* refused("stopped before its end")
  })
).pipe(
  Command.withDescription("Play a scenario against a service, with real players"),
  Command.withExamples([
    { command: "atrium sim load scenario.yaml --url ws://127.0.0.1:8787 --scale 0.01" },
    {
      command:
        "atrium sim load scenario.yaml --url wss://staging.example.com --i-may-load staging.example.com --project p_0123456789abcdef",
      description: "Another machine is named twice"
    }
  ])
)

const bounded = (plan: LoadPlan, scale: number): Effect.Effect<LoadPlan, SimulateFailure> => {
  const { players, run } = LoadLimits
  const most = Math.round(mostOf(plan))
  if (plan.arrival === "players" && most > players.max) {
    const exact = (scale * players.max) / most
    const digits = 10 ** (1 - Math.floor(Math.log10(exact)))
    const fits = Math.floor(exact * digits) / digits
    return misused(
      `--scale: ${most} players at once, and one process has at most ${players.max}: try --scale ${fits}`
    )
  }
  if (spanOf(plan) <= run.ms) return Effect.succeed(plan)
  return misused(
    `--for: a run lasts at most ${run.ms / SecondMs} s, not ${spanOf(plan) / SecondMs} s`
  )
}

/** The schema that players are built with. Without a file they know the room type alone, which is all that a relay room asks. */
const schemaFor = Effect.fnUntraced(function* (
  { game }: Scenario,
  { path, type }: { readonly path: string; readonly type: string | null }
) {
  if (game.schema !== undefined) {
    return yield* gameSchema(resolve(dirname(path), game.schema), { shownPath: game.schema, type })
  }
  if (type === null) {
    return yield* misused(
      "--type: say the type of the relay rooms, as the scenario has no game.schema"
    )
  }
  return yield* Effect.try({
    try: (): AnyRoomSchema => defineSchema({ type, maxClients: game.maxClients }),
    catch: (error) => misused(`--type: ${error instanceof SchemaError ? error.message : type}`)
  })
})

const variable = "SERVICE_JWT_SECRET"

/** With the project's secret, players are signed here; without one they are anonymous. Source: D-25, D-27. */
const joinSecret = Effect.gen(function* () {
  const given = yield* Effect.orDie(Config.option(Config.Redacted(variable)))
  if (Option.isNone(given) || Redacted.value(given.value) === "") return null
  if (isSecret("joinSecret", Redacted.value(given.value))) return given.value
  return yield* misused(
    `${variable} is no JWT secret: that is js_ and 43 characters of A-Z a-z 0-9 _ -`
  )
})

const nameChars = 8

/** Rooms of another run are others. */
const runName = (): string => crypto.randomUUID().replaceAll("-", "").slice(0, nameChars)

/** How often a run that nobody watches at a terminal says how far it is. */
const sayEveryLooks = 10

/** Plays until the plan is over or somebody asks to stop, and shows it meanwhile. */
const played = Effect.fnUntraced(function* (
  course: LoadCourse,
  asked: LoadAsked,
  thresholds: Parameters<typeof judge>[0]
) {
  const { plan, game, rooms } = course
  const { figures } = game
  const screen = yield* loadScreen
  const generator = new Generator()
  const run = new LoadRun(course)
  const looks = new LoadLooks(plan, figures)
  let count = 0
  const look = Effect.suspend(() => {
    const { elapsedMs, moment, playing } = run
    const now = { elapsedMs, moment, playing, rooms: rooms.used, spanMs: spanOf(plan) }
    const seen = looks.next({ ...now, generator: generator.look() })
    count += 1
    if (screen !== null) return Effect.sync(() => screen.draw(liveText(seen)))
    return count % sayEveryLooks === 0 ? Console.error(lookLine(seen)) : Effect.void
  })
  const shows = Effect.forever(Effect.andThen(Effect.sleep(SecondMs), look))
  const ended = yield* Effect.raceFirst(
    Effect.as(
      Effect.promise(() => run.run()),
      "done" as const
    ),
    Effect.raceFirst(Effect.as(stopAsked, "stopped" as const), shows)
  )
  run.stop()
  const { elapsedMs } = run
  const stayed = yield* Effect.promise(() => run.leave())
  screen?.erase()
  const report: LoadReport = loadReport({
    asked,
    plan,
    figures,
    generator: generator.figures,
    thresholds: judge(thresholds, figures.measured),
    ended,
    elapsedMs,
    stayed
  })
  return report
})
