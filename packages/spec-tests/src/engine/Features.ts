/** Features that an implementation may declare, by name, each with what its requirements ask. */
export const features: Readonly<Record<string, string>> = {
  accounts: "Players link their identities to an account, by code (`/v1/account…`).",
  assertions: "A developer's own login is exchanged for an identity (`/v1/identity/assertion`).",
  audience: "Relay rooms have viewers: a role, credentials, seats and what viewers may send.",
  billing: "The owner of a project reads what it costs.",
  boards: "Leaderboards: in the project file, read over HTTP, written by rooms.",
  budget: "The rooms of a server share its memory; size classes say how many are awake.",
  "budget.free": "The free plan has one server, and ten rooms awake.",
  "budget.sizing": "A server is sized for the largest class of its project.",
  caps: "Allowances and ceilings act: they refuse new work, and the owner is told by alerts and mails.",
  cli: "A command-line tool. The configuration says how it is started.",
  "cli.init": "The tool has `init`.",
  "cli.logs": "The tool has `logs`.",
  "cli.simulate": "The tool has `simulate`.",
  connectionLimits: "Connections and joins are limited by address and by project.",
  fleet: "The operator's login reads which machines the service has (`GET /v1/fleet`).",
  logs: "What room code logs is kept and limited.",
  match: "Queues and matchmaking (`/match…`).",
  metering: "Use is metered: what rooms, stored bytes and data out count.",
  migrations: "A deployment moves stored rooms to another schema, or discards them.",
  openRates: "Open endpoints are limited by address and by project.",
  origins: "A project lists the origins of browsers that may ask.",
  physics: "Rooms have the physics engine.",
  playerFields: "Rooms keep fields of a player over its sessions, in the room.",
  playerStore: "Rooms keep values of a player for the project.",
  prediction: "The client library predicts bodies.",
  presence: "Who is where is read and watched (`/v1/presence`).",
  projectFile: "The tool reads a project file.",
  "projectFile.client": "The project file names the program of the client, which a deploy bundles.",
  "projectFile.rename": "A deploy renames the project to the name of the file.",
  "projectFile.sync": "A deploy sets queues, boards, origins and the like from the file.",
  publicRouter: "Rooms are reached over port 443.",
  ratings: "Rooms report results, and players have a rating.",
  relay: "Rooms without code, whose clients write the state.",
  replay: "Rooms record clips and excerpts of themselves.",
  rollback: "A project goes back to the deployment before.",
  sdk: "A client library and a schema library. The adapter speaks for them.",
  selfRun: "The server can be started on one's own. The configuration says how.",
  serverEnvironment: "A variable of a server sets what its project does not.",
  serverMemory: "A server that comes near its memory refuses, sleeps and restarts rooms.",
  slowClients: "Clients that do not read are closed.",
  staticSites: "A deploy takes a folder of files, and serves it.",
  usage: "The owner of a project reads what it used.",
  voice: "Rooms have voice calls."
}

/**
 * Features of where a service stands, not of what it does: who lacks one is exempt from what it asks, and that is
 * documented. Each with the reason. Source: C-475.
 */
export const exemptions: Readonly<Record<string, string>> = {
  publicRouter:
    "A self-run service is exempt: the program in front of it has port 443, and the service cannot see it."
}

/** Names that are no feature: a typing error must not turn a feature off. */
export const unknownFeatures = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => !Object.hasOwn(features, name))
