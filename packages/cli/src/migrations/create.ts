import { join } from "node:path"

import { Console, Effect, FileSystem, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"

import { Misused } from "../CommandFailure.ts"
import { bundleFiles } from "../deployments/ProjectBundle.ts"
import { openOwn } from "../projects/CommandProject.ts"
import { noRooms, openCodeProject } from "../projects/ProjectFolder.ts"
import { json } from "../projects/ProjectParameters.ts"
import { describedBundle, type DescribedBundle } from "./DescribedBundle.ts"
import { foundChange, type DeployedSchemas } from "./FoundChange.ts"
import { migrateGroup } from "./MigrateGroup.ts"
import { migrationNames, migrationsFolder } from "./MigrationFiles.ts"
import { type Change, migrationText, withSchemas } from "./MigrationText.ts"

const name = Argument.String("name").pipe(
  Argument.withDescription("What it does, for the name of its file; default: the room type"),
  Argument.filter(
    (text) => /^[a-z0-9][a-z0-9-]{0,59}$/.test(text),
    () => "1 to 60 of a-z, 0-9 and -"
  ),
  Argument.optional
)

export const rooms = Flag.String("room").pipe(
  Flag.withDescription("A room file, where a deploy names some; as often as needed"),
  Flag.atLeast(0)
)

/** `atrium migrate create`: a migration from the deployed schemas to those of the folder. Source: C-709. */
export const create = Command.make(
  "create",
  { name, rooms, json },
  Effect.fn("atrium.migrate.create")(function* (input) {
    const target = yield* migrateGroup
    const own = yield* openOwn(target)
    const folder = yield* openCodeProject({ config: target.config, paths: input.rooms })
    if (folder.entries.length === 0) return yield* noRooms(folder.root)
    const { bytes } = yield* bundleFiles(folder, folder.entries)
    const described = yield* describedBundle(bytes)
    const deployed = yield* deployedBefore(own, described)
    const change = deployed === null || described.relay ? null : foundChange(deployed, described)
    if (change === null) {
      const result = { path: null, types: [], undecided: 0 }
      return yield* Console.log(input.json ? JSON.stringify(result) : nothingText(described))
    }
    const written = yield* write(folder.root, change, Option.getOrNull(input.name))
    const types = change.types.map(({ type }) => type)
    yield* Console.log(
      input.json ? JSON.stringify({ ...written, types }) : writtenText(written, change)
    )
  })
).pipe(
  Command.withDescription("Write a migration from the deployed schemas to those of the folder"),
  Command.withExamples([
    { command: "atrium migrate create" },
    { command: "atrium migrate create two-teams", description: "migrations/0003-two-teams.ts" }
  ])
)

type Own = Effect.Success<ReturnType<typeof openOwn>>

/** What is deployed; `null` = nothing with code. */
const deployedBefore = Effect.fnUntraced(function* (
  { ask, deployments, project }: Own,
  { types }: DescribedBundle
) {
  const { id } = project
  const listed = yield* ask(deployments.list({ params: { id }, query: {} }))
  const newest = listed.find(({ current }) => current)
  if (newest === undefined || newest.relay) return null
  const read = (version: number) =>
    ask(deployments.read({ params: { id, version: String(version) }, query: {} }))
  const current = yield* read(newest.version)
  // Types that come back: their rooms are stored as the last version with them declared them.
  const back = [...types.keys()].flatMap((type) => {
    if (newest.roomTypes.some((each) => each.type === type)) return []
    const last = listed.find(({ roomTypes }) => roomTypes.some((each) => each.type === type))
    return last === undefined ? [] : [{ type, version: last.version }]
  })
  const earlier = yield* Effect.forEach(back, ({ type, version }) =>
    Effect.map(read(version), (found) => ({ type, read: found }))
  )
  const deployed: DeployedSchemas = { current, earlier }
  return deployed
})

interface Written {
  /** Relative to the project. */
  readonly path: string
  /** Its schemas were written anew, and nothing else of it. */
  readonly again: boolean
  /** Values that nobody can infer. */
  readonly undecided: number
}

/** Writes the file, or the schemas of the one that is there for the same step. */
const write = Effect.fnUntraced(function* (root: string, change: Change, given: string | null) {
  const fs = yield* FileSystem.FileSystem
  const names = yield* migrationNames(root)
  for (const known of names) {
    const text = yield* orMisused(known, fs.readFileString(join(root, migrationsFolder, known)))
    if (!isForStep(text, change)) continue
    const anew = withSchemas(text, change)
    if (anew === null) {
      return yield* new Misused({
        message: `${migrationsFolder}/${known}: is for this change already, and the marks around its schemas are gone; remove it, or say \`from\` and \`to\` by hand`
      })
    }
    return yield* save(known, anew, { root, again: true })
  }
  const number = nextNumber(names, change.next)
  const slug = given ?? (change.types[0]?.type ?? "players").replace(/[^a-z0-9]+/g, "-")
  return yield* save(`${number}-${slug}.ts`, migrationText(change), { root, again: false })
})

/** Whether a file leads from the schemas that are deployed. */
const isForStep = (text: string, { types, players }: Change): boolean =>
  [
    ...types.map(({ before }) => before.hash),
    ...(players === null ? [] : [players.before.hash])
  ].some((hash) => text.includes(`from: "${hash}"`))

const nextNumber = (names: ReadonlyArray<string>, wanted: number): string => {
  const taken = names.map((known) => Number(known.slice(0, 4)))
  const number = Math.max(wanted, ...taken.map((each) => each + 1))
  return String(number).padStart(4, "0")
}

const save = Effect.fnUntraced(function* (
  file: string,
  text: string,
  { root, again }: { readonly root: string; readonly again: boolean }
) {
  const fs = yield* FileSystem.FileSystem
  const folder = join(root, migrationsFolder)
  yield* orMisused(file, fs.makeDirectory(folder, { recursive: true }))
  yield* orMisused(file, fs.writeFileString(join(folder, file), text))
  const undecided = text.split("undecided(").length - 1
  const written: Written = { path: `${migrationsFolder}/${file}`, again, undecided }
  return written
})

const orMisused = <A, R>(
  file: string,
  effect: Effect.Effect<A, { readonly message: string }, R>
): Effect.Effect<A, Misused, R> =>
  Effect.mapError(
    effect,
    ({ message }) => new Misused({ message: `${migrationsFolder}/${file}: ${message}` })
  )

const nothingText = ({ relay }: DescribedBundle): string =>
  relay
    ? "rooms without code start anew with another schema: there is nothing to migrate"
    : "the deployed schemas go on with these by name: no migration is needed"

const writtenText = ({ path, again, undecided }: Written, { types }: Change): string =>
  [
    again ? `${path}: its schemas are written anew` : `${path} is written`,
    ...types.map(({ type, difference }) => `  ${type}: ${difference}`),
    ...(undecided === 0
      ? []
      : [`  look for \`undecided\` in it: ${undecided} of its values cannot be inferred`]),
    "read it through, then: atrium deploy --allow-breaking"
  ].join("\n")
