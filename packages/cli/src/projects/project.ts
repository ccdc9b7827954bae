import type { Project } from "@atrium/domain/projects/ProjectsApi"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"

import { Misused } from "../CommandFailure.ts"
import { type Pairs, pairsFor } from "../terminal/Table.ts"
import { openOwn } from "./CommandProject.ts"
import { json, target } from "./ProjectParameters.ts"

const get = Command.make(
  "get",
  { ...target, json },
  Effect.fn("atrium.project.get")(function* (input) {
    const { ask, projects, project } = yield* openOwn(input)
    const record = yield* ask(projects.read({ params: { id: project.id }, query: {} }))
    yield* Console.log(input.json ? JSON.stringify(record) : yield* pairsFor(fieldsOf(record)))
  })
).pipe(Command.withDescription("Show a project and all that is set for it"))

const wholeOrDefault = (flag: string, what: string) =>
  Flag.String(flag).pipe(
    Flag.withDescription(`${what}, or default`),
    Flag.filterMap(
      (text) =>
        text === "default"
          ? Option.some(null)
          : /^\d{1,9}$/.test(text)
            ? Option.some(Number(text))
            : Option.none(),
      () => "a whole number, or default"
    ),
    Flag.optional
  )

const set = Command.make(
  "set",
  {
    ...target,
    json,
    connections: wholeOrDefault("connections", "New connections per client address per minute"),
    memory: wholeOrDefault("memory", "Memory of a server in MiB")
  },
  Effect.fn("atrium.project.set")(function* (input) {
    const settings = {
      ...Option.match(input.connections, {
        onNone: () => ({}),
        onSome: (value) => ({ connectionsPerIpPerMin: value })
      }),
      ...Option.match(input.memory, {
        onNone: () => ({}),
        onSome: (value) => ({ vmMemMib: value })
      })
    }
    if (Object.keys(settings).length === 0) {
      return yield* new Misused({ message: "say what to set, with --connections or --memory" })
    }
    const { ask, projects, project } = yield* openOwn(input)
    const request = { params: { id: project.id }, query: {} }
    const { name } = yield* ask(projects.read(request))
    const record = yield* ask(projects.set({ ...request, payload: { name, ...settings } }))
    yield* Console.log(input.json ? JSON.stringify(record) : yield* pairsFor(fieldsOf(record)))
  })
).pipe(
  Command.withDescription("Set the connections per address and the memory of a project's servers"),
  Command.withExamples([{ command: "atrium project set --connections 300 --memory default" }])
)

/** `atrium project`: what is set for a project. What `service.json` declares is set by `deploy`. */
export const project = Command.make("project").pipe(Command.withSubcommands([get, set]))

const orDefault = (value: number | null): string => (value === null ? "default" : String(value))
const listed = (texts: ReadonlyArray<string>, none: string): string => texts.join(", ") || none

const fieldsOf = (record: Project): Pairs => [
  ["project", record.id],
  ["name", record.name],
  ["plan", record.plan],
  ["created", record.createdAt],
  ["version", record.currentVersion === null ? "none" : String(record.currentVersion)],
  ["connections", `${orDefault(record.connectionsPerIpPerMin)} per address and minute`],
  ["memory", record.vmMemMib === null ? "automatic" : `${record.vmMemMib} MiB`],
  ["queues", listed(Object.keys(record.queues), "one of two players")],
  ["boards", listed(Object.keys(record.boards), "none")],
  ["origins", listed(record.origins, "localhost alone")],
  ["audienceRole", record.audienceRole ?? "none"],
  ["preRelease", String(record.preRelease)]
]
