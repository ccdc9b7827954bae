import { isSuccess } from "../check/Answers.ts"
import type { Check, ProbeOf } from "../check/Check.ts"
import { holds, same, Unsupported } from "../check/Expect.ts"
import { rowOf } from "../tables/Tables.ts"
import type { SchemaDescription } from "../trial/FixtureProbe.ts"
import { roomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"

/** Longer than a client that may come back waits before it does: 5 s at most (D-24). */
const lookMs = 6000

/** The schema library builds the one, and throws for the other as it is defined. */
const buildsUpTo = async (
  trial: Trial,
  id: string,
  describe: (count: number) => SchemaDescription
): Promise<void> => {
  const { accept, refuse } = rowOf("boundary", id)
  same(`${id}: ${accept}`, await trial.fixtures.schema(describe(accept)), null)
  const refusal = await trial.fixtures.schema(describe(refuse))
  holds(`${id}: ${refuse} is refused`, refusal !== null, "built")
}

const boundaries = [
  ["limits.schema.fields.entity", (entityFields: number) => ({ entityFields })],
  ["limits.schema.fields.singleton", (singletonFields: number) => ({ singletonFields })],
  ["limits.schema.messages", (messages: number) => ({ messages })],
  ["limits.schema.rpcs", (rpcs: number) => ({ clientRpcs: 30_000, serverRpcs: rpcs - 30_000 })],
  ["limits.player-fields.bytes", (playerBytes: number) => ({ playerBytes })]
] as const

const buildsUpToItsLimit: ProbeOf = (id) => ({
  title: "a schema at the limit builds, one past it throws",
  run: async (trial) => {
    const [, describe] = boundaries.find(([known]) => known === id) ?? []
    if (describe === undefined) throw new Error(`${id} is no limit of a schema`)
    await buildsUpTo(trial, id, describe)
  }
})

/** The schema library, as a schema is defined, and the client library. */
export const sdkChecks: ReadonlyArray<Check> = [
  { ids: ["limits.schema.fields.entity"], ...buildsUpToItsLimit("limits.schema.fields.entity") },
  {
    ids: ["limits.schema.fields.singleton"],
    ...buildsUpToItsLimit("limits.schema.fields.singleton")
  },
  { ids: ["limits.schema.messages"], ...buildsUpToItsLimit("limits.schema.messages") },
  { ids: ["limits.schema.rpcs"], ...buildsUpToItsLimit("limits.schema.rpcs") },
  { ids: ["limits.player-fields.bytes"], ...buildsUpToItsLimit("limits.player-fields.bytes") },
  {
    ids: ["schema.throws-at-build"],
    title: "every schema limit is refused as the schema is defined, and nothing is deployed",
    run: async (trial) => {
      same("a plain schema", await trial.fixtures.schema({}), null)
      for (const [id, describe] of boundaries) {
        const refusal = await trial.fixtures.schema(describe(rowOf("boundary", id).refuse))
        holds(`${id} is refused with words`, refusal !== null && refusal.length > 0, refusal)
      }
      const alone = await trial.fixtures.schema({ clientRpcs: 60_001 })
      holds("one direction counts as well", alone !== null, "built")
    }
  },
  {
    ids: ["events.4291.fatal", "state.room.force-delete.clients-stop"],
    title: "for the client library 4291 is the end: it tells the program, and does not come back",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const fate = trial.fixtures.client({
        project: stage.project.id,
        room: "ended",
        type: "probe",
        forMs: lookMs
      })
      await stage.counted("ended", 1)
      isSuccess(await stage.remove("ended", "?force=true"))
      const { joined, ended, sockets } = await fate
      holds("it had joined", joined, sockets)
      holds("the program is told of the end", ended, sockets)
      same("connections", sockets.length, 1)
      same("nobody made the room again", await stage.roomIds(), [])
    }
  },
  {
    ids: ["sdk.client.dev-fallback"],
    title: "without a project id the client library joins the project dev of a localhost endpoint",
    run: async (trial) => {
      const { hostname } = new URL(trial.config.baseUrl)
      if (!["localhost", "127.0.0.1", "[::1]"].includes(hostname)) {
        throw new Unsupported("the service is not on localhost")
      }
      const room = `fallback-${trial.seed}`
      const { sockets } = await trial.fixtures.client({
        project: null,
        room,
        type: "probe",
        forMs: 0
      })
      const { pathname } = new URL(sockets[0] ?? trial.config.baseUrl)
      same("where it connects to", pathname, trial.codecs.room.path("dev", room))
    }
  }
]
