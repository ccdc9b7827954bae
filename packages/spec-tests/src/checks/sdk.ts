import type { Check } from "../check/Check.ts"
import { holds, same } from "../check/Expect.ts"
import { rowOf } from "../tables/Tables.ts"
import type { SchemaDescription } from "../trial/FixtureProbe.ts"
import type { Trial } from "../trial/Trial.ts"

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

/** The schema library: what it builds, and what it refuses as it is defined. */
export const sdkChecks: ReadonlyArray<Check> = [
  ...boundaries.map(([id, describe]): Check => ({
    ids: [id],
    title: "a schema at the limit builds, one past it throws",
    run: (trial) => buildsUpTo(trial, id, describe)
  })),
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
  }
]
