import type { Runner } from "@atrium/domain/fleet/FleetApi"
import type { RunnerOrder } from "@atrium/domain/fleet/RunnerStatus"
import { Tiers } from "@atrium/domain/meters/Caps"
import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { Clock, Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"

import { commandProject } from "../projects/CommandProject.ts"
import { idArgument, json, target, url } from "../projects/ProjectParameters.ts"
import { openService } from "../service/OpenService.ts"
import { loginSettings } from "../service/ServiceSettings.ts"
import { ageText } from "../terminal/Ages.ts"
import { sizeText } from "../terminal/Sizes.ts"
import { type Column, pairsFor, tableFor } from "../terminal/Table.ts"

/** `atrium cluster` with the flag that its subcommands take as well. */
const group = Command.make("cluster", { json }).pipe(Command.withSharedFlags({ url }))

const runner = idArgument("runner", "Address of the runner, as `atrium cluster` shows it")

const list = Command.withHandler(
  group,
  Effect.fn("atrium.cluster")(function* (input) {
    const { ask, fleet } = yield* openService(yield* loginSettings(input.url))
    const runners = yield* ask(fleet.list({ query: {} }))
    if (input.json) return yield* Console.log(JSON.stringify(runners))
    yield* Console.log(yield* tableFor(runners, columns(yield* Clock.currentTimeMillis)))
  })
)

const ordering = (order: RunnerOrder, description: string) =>
  Command.make(
    order,
    { runner, json },
    Effect.fn(`atrium.cluster.${order}`)(function* (input) {
      const shared = yield* group
      const { ask, fleet } = yield* openService(yield* loginSettings(shared.url))
      const params = { runner: input.runner }
      const row = yield* ask(fleet.order({ params, query: {}, payload: { order } }))
      const shown = columns(yield* Clock.currentTimeMillis).map(
        ({ title, cell }) => [title.toLowerCase(), cell(row)] as const
      )
      yield* Console.log(input.json ? JSON.stringify(row) : yield* pairsFor(shown))
    })
  ).pipe(Command.withDescription(description))

const move = Command.make(
  "move",
  {
    room: idArgument("room", "Id of the room"),
    to: Flag.String("to").pipe(
      Flag.withDescription("Address of the runner; default: the one with the least load"),
      Flag.optional
    ),
    project: target.project,
    config: target.config,
    json
  },
  Effect.fn("atrium.cluster.move")(function* (input) {
    const shared = yield* group
    const { id } = yield* commandProject(input)
    const { ask, fleet } = yield* openService(yield* loginSettings(shared.url))
    const answer = yield* ask(
      fleet.move({
        params: { id, roomId: input.room },
        query: {},
        payload: { runner: Option.getOrNull(input.to) }
      })
    )
    yield* Console.log(input.json ? JSON.stringify(answer) : `${input.room} is on ${answer.runner}`)
  })
).pipe(Command.withDescription("Move a room to another runner; its clients stay connected"))

const plan = Command.make(
  "plan",
  {
    project: idArgument("project", "Id of the project, of whatever account"),
    plan: Argument.Literals("plan", Tiers).pipe(
      Argument.withDescription("free: an allowance is a wall; card: past it there is an alert")
    ),
    json
  },
  Effect.fn("atrium.cluster.plan")(function* (input) {
    const shared = yield* group
    const { ask, plans } = yield* openService(yield* loginSettings(shared.url))
    const params = { id: input.project }
    const answer = yield* ask(plans.set({ params, query: {}, payload: { plan: input.plan } }))
    const text = `${answer.id} has the plan ${answer.plan}`
    yield* Console.log(input.json ? JSON.stringify(answer) : text)
  })
).pipe(
  Command.withDescription("Set the plan of a project"),
  Command.withExamples([{ command: "atrium cluster plan p_0123456789abcdef free" }])
)

/** `atrium cluster`: the runners and plans of a service, for its operator. Source: C-432, C-507. */
export const cluster = list.pipe(
  Command.withSubcommands([
    ordering("cordon", "Let a runner take no further rooms; those that it has stay"),
    ordering(
      "drain",
      "Cordon a runner, and move its rooms to others; their clients stay connected"
    ),
    ordering("uncordon", "Let a runner take rooms again"),
    move,
    plan
  ]),
  Command.withExamples([
    { command: "atrium cluster --json" },
    { command: "atrium cluster drain 10.0.0.7:34431" },
    { command: "atrium cluster plan p_0123456789abcdef free" }
  ])
)

const columns = (nowMs: number): ReadonlyArray<Column<Runner>> => [
  { title: "RUNNER", cell: ({ runner: name }) => name, weight: 9 },
  { title: "STATUS", cell: ({ status }) => status, weight: 8 },
  { title: "ROOMS", cell: ({ rooms }) => String(rooms), weight: 7 },
  { title: "CLIENTS", cell: ({ clients }) => String(clients), weight: 6 },
  {
    title: "LOAD",
    cell: ({ load }) => `${(load / ServerLimits.serverBudget.max).toFixed(1)} servers`,
    weight: 5
  },
  {
    title: "FREE",
    cell: ({ freeBytes }) => (freeBytes === null ? "" : sizeText(freeBytes)),
    weight: 4
  },
  { title: "VERSION", cell: ({ version }) => version, weight: 3 },
  { title: "STARTED", cell: ({ startedAt }) => ageText(startedAt, nowMs, ""), weight: 2 },
  { title: "HEARD", cell: ({ heardAt }) => ageText(heardAt, nowMs, ""), weight: 1 }
]
