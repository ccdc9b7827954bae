import { Command } from "effect/cli"

/** What the help of `atrium` says of a command. The command itself is loaded when it is called. */
interface Row<Name extends string, Loaded> {
  readonly name: Name
  readonly alias?: string
  readonly description: string
  readonly load: () => Promise<Loaded>
}

/** The command of a row has the row's name and takes its description. */
const row = <Name extends string, Input, ContextInput, E, R>(
  given: Row<Name, Command.Command<Name, Input, ContextInput, E, R>>
) => ({
  ...given,
  load: async () => Command.withDescription(await given.load(), given.description)
})

/** Every command, in the order of the help. Source: C-366. */
const rows = [
  row({
    name: "init",
    description: "Make a new game: its room, page and test, and the project file",
    load: async () => (await import("./templates/init.ts")).init
  }),
  row({
    name: "deploy",
    description: "Upload the rooms of a project as its next version, and its site",
    load: async () => (await import("./deployments/deploy.ts")).deploy
  }),
  row({
    name: "deployments",
    description: "List the versions of a project, and how many rooms are up on each",
    load: async () => (await import("./deployments/deployments.ts")).deployments
  }),
  row({
    name: "migrate",
    description: "Write and rehearse migrations, which lead stored rooms over a breaking schema",
    load: async () => (await import("./migrations/migrate.ts")).migrate
  }),
  row({
    name: "rollback",
    description: "Go back to the code and schema of an older version, as a new version",
    load: async () => (await import("./deployments/rollback.ts")).rollback
  }),
  row({
    name: "dev",
    description: "Deploy to the local service, and again on every change",
    load: async () => (await import("./deployments/dev.ts")).dev
  }),
  row({
    name: "rooms",
    description: "List the rooms of a project, or work on one",
    load: async () => (await import("./rooms/rooms.ts")).rooms
  }),
  row({
    name: "api-keys",
    description: "Keys with which programs work on a project's rooms",
    load: async () => (await import("./keys/api-keys.ts")).apiKeys
  }),
  row({
    name: "players",
    description: "Show, export or delete all that is kept of a player",
    load: async () => (await import("./players/players.ts")).players
  }),
  row({
    name: "kv",
    description: "Show, write or delete what rooms keep of a player",
    load: async () => (await import("./kv/kv.ts")).kv
  }),
  row({
    name: "queue",
    description: "Show who waits in a queue, and why each one waits",
    load: async () => (await import("./match/queue.ts")).queue
  }),
  row({
    name: "boards",
    description: "Show the leaderboards of a project, or remove scores",
    load: async () => (await import("./boards/boards.ts")).boards
  }),
  row({
    name: "replays",
    description: "List the clips and recordings of a project's rooms, or delete one",
    load: async () => (await import("./replay/replays.ts")).replays
  }),
  row({
    name: "audit",
    description: "Show who made, changed, deleted, deployed or revoked what",
    load: async () => (await import("./audit/audit.ts")).audit
  }),
  row({
    name: "usage",
    description: "Show what a project used of each meter, by day",
    load: async () => (await import("./meters/usage.ts")).usage
  }),
  row({
    name: "caps",
    description: "Show where a project stands against its caps, or set ceilings",
    load: async () => (await import("./meters/caps.ts")).caps
  }),
  row({
    name: "cluster",
    description: "Show the runners of a service, or take one out of use",
    load: async () => (await import("./fleet/cluster.ts")).cluster
  }),
  row({
    name: "objects",
    description: "Show where the bytes of stored objects are, or move them",
    load: async () => (await import("./objects/objects.ts")).objects
  }),
  row({
    name: "keys",
    description: "The secret of a project, and what is signed with it",
    load: async () => (await import("./keys/keys.ts")).keys
  }),
  row({
    name: "identity",
    description: "Whose signed tokens prove players to a project",
    load: async () => (await import("./identity/identity.ts")).identity
  }),
  row({
    name: "explain",
    description: "Explain an error code or a close code: its meaning, its cause, the way out",
    load: async () => (await import("./codes/explain.ts")).explain
  }),
  row({
    name: "login",
    description: "Log this machine in at a service, with a browser",
    load: async () => (await import("./logins/login.ts")).login
  }),
  row({
    name: "logout",
    description: "End the login of this machine",
    load: async () => (await import("./logins/login.ts")).logout
  }),
  row({
    name: "metrics",
    description: "Show what the rooms of a project are doing",
    load: async () => (await import("./metrics/metrics.ts")).metrics
  }),
  row({
    name: "project",
    description: "Show and set what holds for a project",
    load: async () => (await import("./projects/project.ts")).project
  }),
  row({
    name: "logs",
    description: "Show what the rooms of the project have logged",
    load: async () => (await import("./logs/logs.ts")).logs
  }),
  row({
    name: "simulate",
    alias: "sim",
    description: "Scenarios of a game, its players and its machines: atrium sim --help",
    load: async () => (await import("./sim/simulate.ts")).simulate
  }),
  row({
    name: "start",
    description: "Start the service of the clone of Atrium around this folder",
    load: async () => (await import("./service/start.ts")).start
  }),
  row({
    name: "whoami",
    description: "Show the account that commands work for",
    load: async () => (await import("./logins/whoami.ts")).whoami
  })
]

type AnyRow = (typeof rows)[number]

/** The name and description of a command that is not called. */
const mention = ({ name, alias, description }: AnyRow) => {
  const command = Command.make(name).pipe(Command.withDescription(description))
  return alias === undefined ? command : Command.withAlias(command, alias)
}

const atrium = Command.make("atrium").pipe(
  Command.withDescription("Rooms for multiplayer games: deploy their code, look after them")
)

/** `atrium` with all that it has: it loads every command. */
export const wholeCommand = async () =>
  Command.withSubcommands(atrium, await Promise.all(rows.map(({ load }) => load())))

/** `atrium` with the one command that a command line calls; of the others it knows what the help says. */
const commandCalled = async (called: AnyRow | undefined) => {
  const loaded = await called?.load()
  return Command.withSubcommands(
    atrium,
    rows.map((each) => (each === called && loaded !== undefined ? loaded : mention(each)))
  )
}

/** `atrium`, with as much of it as a command line needs. A script of completions names every flag. */
export const commandFor = async (argv: ReadonlyArray<string>) => {
  if (argv.some((argument) => argument.startsWith("--completions"))) return wholeCommand()
  const called = argv.find((argument) => !argument.startsWith("-")) ?? ""
  return commandCalled(rows.find(({ name, alias }) => called === name || called === alias))
}
